import { z } from "zod";
import { userCardSchema } from "./account.ts";
import { TEXTS } from "./texts.ts";

/** Answer of `GET /admin/list-users`, newest registration first. */
export const userListSchema = z.object({ users: z.array(userCardSchema) });
export type UserList = z.infer<typeof userListSchema>;

/** Answer of the admin actions: a sentence that says what was done. */
export const actionDoneSchema = z.object({ detail: z.string() });
export type ActionDone = z.infer<typeof actionDoneSchema>;

const trueOrFalse = { error: "Choose true or false." };

/** Form of `POST /admin/set-image-access/{username}`; JSON may say it with a boolean. */
export const imageAccessSchema = z.object({
  allow: z.union(
    [
      z.boolean(),
      z
        .stringbool({ truthy: ["true"], falsy: ["false"], ...trueOrFalse })
        .meta({ enum: ["true", "false"] }),
    ],
    trueOrFalse,
  ),
});
export type ImageAccess = z.infer<typeof imageAccessSchema>;

const invalidNumber = { error: TEXTS.invalidNumber };

/** Form of `POST /admin/grant-image-credits/{username}`: digits with an optional minus sign; JSON may use a number. */
export const creditGrantSchema = z.object(
  {
    credits: z
      .union([z.int(invalidNumber), z.string().regex(/^-?\d+$/, invalidNumber)], invalidNumber)
      .transform(Number)
      .pipe(z.int(invalidNumber)),
  },
  invalidNumber,
);
export type CreditGrant = z.infer<typeof creditGrantSchema>;

/** Answer of `POST /admin/queue/ticket`: opens `/admin/queue/?ticket=` once, within a minute. */
export const queueTicketSchema = z.object({ ticket: z.string(), expires_at: z.iso.datetime() });
export type QueueTicket = z.infer<typeof queueTicketSchema>;

/** What an administrator did, to whom and when; `action` is the name of the event that told of it. */
export const auditEntrySchema = z.object({
  id: z.string(),
  actor: z.string(),
  action: z.string(),
  subject: z.string().nullable(),
  details: z.record(z.string(), z.union([z.string(), z.number(), z.boolean()])),
  at: z.iso.datetime(),
});
export type AuditEntry = z.infer<typeof auditEntrySchema>;

/** Answer of `GET /admin/audit`, newest first. */
export const auditPageSchema = z.object({
  entries: z.array(auditEntrySchema),
  next_cursor: z.string().nullable(),
});
export type AuditPage = z.infer<typeof auditPageSchema>;
