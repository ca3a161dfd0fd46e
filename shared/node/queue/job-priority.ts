/**
 * How much later than it came a signal takes its turn for each unfinished one of the same user before it. More than a
 * full queue takes to empty, so that somebody else's first signal goes before all but the first of a crowd.
 */
const TURN_SECONDS = 60;

/**
 * The order in which workers take signals: who comes first goes first, but a user's second signal queues as if it had
 * come a minute later, his third two minutes, and so on. So nobody who asks once waits behind a crowd of another's, and
 * the last of a crowd still gets its turn. Agenda's highest priority goes first.
 * @param ahead how many signals of the same user are unfinished
 */
export function jobPriority({ at, ahead }: { at: Date; ahead: number }): number {
  return -(at.getTime() / 1_000 + ahead * TURN_SECONDS);
}
