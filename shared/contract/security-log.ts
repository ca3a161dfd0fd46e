import { z } from "zod";
import { pageQuerySchema } from "./pagination.ts";

/** What the security log records, by group. */
export const SECURITY_EVENTS = {
  "sign-ins": ["sign-in:succeeded", "sign-in:failed", "sign-in:code-required", "session:ended"],
  accounts: [
    "user:registered",
    "user:deleted",
    "password:changed",
    "password:reset-requested",
    "password:reset",
    "two-factor:on",
    "two-factor:off",
    "recovery-code:used",
    "reauthentication:failed",
    "data:exported",
    "api-key:created",
    "api-key:ended",
  ],
  administration: [
    "role:changed",
    "approval:changed",
    "subscription:started",
    "subscription:renewed",
    "image-access:changed",
    "credits:granted",
    "payment-details:changed",
    "proof:rejected",
    "branding:changed",
    "plan:changed",
    "proof:deleted",
    "chart-image:deleted",
    "history:cleared",
    "users:emailed",
    "queue:opened",
    "queue:changed",
    "channels:paused",
    "channels:resumed",
    "telegram-channel:changed",
    "model:tested",
    "analyst:chosen",
  ],
  access: [
    "access:refused",
    "limit:exceeded",
    "file:read",
    "share-link:created",
    "share-link:ended",
  ],
} as const;

const groupSchema = z.enum(["sign-ins", "accounts", "administration", "access"]);
const eventTypeSchema = z.enum(Object.values(SECURITY_EVENTS).flat());
export type SecurityEventType = z.infer<typeof eventTypeSchema>;

/** A type of event or a group of types. */
export const securityFilterSchema = z.union([groupSchema, eventTypeSchema], {
  error: "Use a type of event or a group of types.",
});
export type SecurityFilter = z.infer<typeof securityFilterSchema>;

/** The types that a filter selects. */
export function eventTypesOf(filter: SecurityFilter): readonly SecurityEventType[] {
  const group = groupSchema.safeParse(filter);
  return group.success ? SECURITY_EVENTS[group.data] : [eventTypeSchema.parse(filter)];
}

/** The database may contain types of a newer server. */
export const securityLogEntrySchema = z
  .object({
    id: z.string(),
    at: z.iso.datetime(),
    type: z.string(),
    /** Who did it; null if it is not known. */
    actor: z.string().nullable(),
    /** The user concerned; null if there is none, or it is not known. */
    user: z.string().nullable(),
    /** IP address; null if no request caused it. */
    address: z.string().nullable(),
    /** `User-Agent` of the request. */
    device: z.string().nullable(),
    request_id: z.string().nullable(),
    details: z.record(z.string(), z.union([z.string(), z.number(), z.boolean()])),
  })
  .meta({ id: "SecurityLogEntry" });
export type SecurityLogEntry = z.infer<typeof securityLogEntrySchema>;

export const securityLogPageSchema = z
  .object({ entries: z.array(securityLogEntrySchema), next_cursor: z.string().nullable() })
  .meta({ id: "SecurityLogPage" });
export type SecurityLogPage = z.infer<typeof securityLogPageSchema>;

const nameSchema = z.string().trim().min(1, { error: "Enter a username." }).max(64).optional();
const timeSchema = z.iso.datetime({ error: "Use a time such as 2026-11-23T00:00:00Z." }).optional();

export const securityLogQuerySchema = pageQuerySchema({ default: 50, max: 200 }).extend({
  type: securityFilterSchema.optional().meta({
    description: "A type of event, or a group: sign-ins, accounts, administration, access",
  }),
  user: nameSchema.meta({ description: "Username of the user concerned" }),
  actor: nameSchema.meta({ description: "Username of who did it" }),
  from: timeSchema.meta({ description: "Entries from this time on" }),
  to: timeSchema.meta({ description: "Entries before this time" }),
});
export type SecurityLogQuery = z.infer<typeof securityLogQuerySchema>;
