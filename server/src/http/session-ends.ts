import { sessionEndReasonSchema } from "@shared/contract/events.ts";
import type { Database } from "@shared/database/database.ts";
import type { UnitOfWork } from "@shared/outbox/commit.ts";
import { type LoggedEvent, readInstructions } from "@shared/outbox/event-log.ts";
import { z } from "zod";

const SESSION_ENDED = "session:ended";

/** Closes the sockets of a user's sessions: of one, of all but one, or of all. */
const sessionEndSchema = z.object({
  userId: z.string(),
  reason: sessionEndReasonSchema,
  sessionId: z.string().optional(),
  exceptSessionId: z.string().optional(),
});
export type SessionEnd = z.infer<typeof sessionEndSchema>;

/** Ends the sessions on all servers once the unit of work is committed. */
export const endSessions = (uow: Pick<UnitOfWork, "addInstruction">, end: SessionEnd): void =>
  uow.addInstruction(SESSION_ENDED, end);

/** @returns undefined for other instructions */
export const sessionEndOf = ({ name, data }: LoggedEvent): SessionEnd | undefined =>
  name === SESSION_ENDED ? sessionEndSchema.parse(data) : undefined;

export async function readSessionEnds(
  database: Database,
  about: { userId: string; since: Date },
): Promise<SessionEnd[]> {
  const events = await readInstructions(database, { name: SESSION_ENDED, ...about });
  return events.map(({ data }) => sessionEndSchema.parse(data));
}
