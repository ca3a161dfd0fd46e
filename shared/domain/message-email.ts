import type { UnitOfWork } from "@shared/outbox/commit.ts";
import type { Types } from "mongoose";
import { z } from "zod";
import type { Database } from "../database/database.ts";
import { addEmail, latestSending } from "./email-work.ts";

/** Data of a work item that sends what an administrator wrote to a user. */
export const messageEmailSchema = z.object({
  userId: z.string(),
  kind: z.literal("message"),
  subject: z.string(),
  text: z.string(),
  expiresAt: z.date(),
});
export type MessageEmail = z.infer<typeof messageEmailSchema>;

export function addMessageEmail(
  database: Database,
  uow: UnitOfWork,
  { userId, ...content }: { userId: Types.ObjectId; subject: string; text: string },
): void {
  const data: MessageEmail = {
    ...content,
    userId: userId.toString(),
    kind: "message",
    expiresAt: latestSending(uow.at),
  };
  addEmail(database, uow, data);
}
