import type { EventName } from "@shared/contract/events.ts";
import type { Database } from "@shared/node/database.ts";
import type { AuditDetails } from "@shared/node/models/audit-entry.ts";
import type { ClientSession } from "mongoose";
import { z } from "zod";

/** An event as the audit trail reads it. */
export interface AuditableEvent {
  name: EventName;
  data: unknown;
  /** The user of its stream; undefined for the stream of the admins. */
  userId?: string;
}

/** Informs the admins of what an event of the user's own stream says already: it would be a second entry. */
const REPEATED_EVENT: EventName = "user:updated";

/** Fields of an event's data that the trail keeps. */
const KEPT_FIELDS: Partial<Record<EventName, readonly string[]>> = {
  "account:updated": ["reason", "approved", "allow_image_upload", "image_credits"],
  "chart-image:deleted": ["filename"],
  "queue:changed": ["action", "jobs", "names"],
};

const namedSchema = z.object({ username: z.string() });
const fieldsSchema = z.record(z.string(), z.unknown());
const detailSchema = z.union([z.string(), z.number(), z.boolean()]);

/**
 * Writes what an administrator did, in the transaction that does it: one entry for each of its events.
 * @param trail.auditDetails facts that the events do not contain
 */
export async function writeAuditEntries(
  database: Database,
  session: ClientSession,
  trail: { actor: string; at: Date; events: readonly AuditableEvent[]; auditDetails: AuditDetails },
): Promise<void> {
  const { actor, at, auditDetails } = trail;
  const events = trail.events.filter((event) => event.name !== REPEATED_EVENT);
  if (events.length === 0) return;
  const nameById = await findUsernames(database, session, events);
  const entries = events.map(({ name, data, userId }) => ({
    actor,
    action: name,
    subject: nameById.get(userId) ?? namedSchema.safeParse(data).data?.username ?? null,
    details: { ...keptDetails(name, data), ...auditDetails },
    at,
  }));
  await database.auditEntries.insertMany(entries, { session });
}

async function findUsernames(
  database: Database,
  session: ClientSession,
  events: readonly AuditableEvent[],
): Promise<Map<string | undefined, string>> {
  const ids = events.flatMap(({ userId }) => userId ?? []);
  const users = await database.users
    .find({ _id: { $in: ids } })
    .select({ username: 1 })
    .session(session)
    .lean();
  return new Map(users.map((user) => [user._id.toString(), user.username]));
}

function keptDetails(name: EventName, data: unknown): AuditDetails {
  const fields = fieldsSchema.parse(data);
  const kept = (KEPT_FIELDS[name] ?? []).map((field) => [field, detailSchema.parse(fields[field])]);
  return Object.fromEntries(kept);
}
