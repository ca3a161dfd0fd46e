/** What decides when a change may go. */
export interface Queued {
  /** What it shares with others: changes with a key in common are made in the order of their coming. */
  readonly keys: readonly string[];
  /** Whether it may share its transaction with others. */
  readonly isPooled: boolean;
}

/** Those that can go now, each alone or all in one transaction, and those that have to wait. */
export interface NextChanges<Change> {
  alone: Change[];
  together: Change[];
  later: Change[];
}

/**
 * Who of those that wait can go now, without overtaking anybody with whom he shares a key.
 * @param waiting in the order of their coming
 * @param options.busyKeys keys of the changes under way
 * @param options.room how many pooled ones may go
 */
export function nextChanges<Change extends Queued>(
  waiting: readonly Change[],
  options: { busyKeys: ReadonlySet<string>; room: number },
): NextChanges<Change> {
  const next: NextChanges<Change> = { alone: [], together: [], later: [] };
  const blocked = new Set(options.busyKeys);
  const pooled = new Set<string>();
  const isFree = ({ keys, isPooled }: Change): boolean =>
    !keys.some((key) => blocked.has(key) || (!isPooled && pooled.has(key)));
  for (const change of waiting) {
    const hasRoom = !change.isPooled || next.together.length < options.room;
    const goes = hasRoom && isFree(change);
    const isTogether = goes && change.isPooled;
    if (isTogether) next.together.push(change);
    else if (goes) next.alone.push(change);
    else next.later.push(change);
    for (const key of change.keys) (isTogether ? pooled : blocked).add(key);
  }
  return next;
}
