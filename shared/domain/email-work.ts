import { DAY_MS } from "@shared/contract/constants.ts";
import type { UnitOfWork } from "@shared/outbox/commit.ts";
import { Types } from "mongoose";
import type { Database } from "../database/database.ts";
import { addWork } from "../work/work-item.ts";

/** The kind of the work items that send emails to users. */
export const SEND_EMAIL = "send-email";

/** An email that is late for longer is not sent. */
const MAX_DELAY_MS = 3 * DAY_MS;

export const latestSending = (at: Date): Date => new Date(at.getTime() + MAX_DELAY_MS);

interface EmailData {
  userId: string;
  kind: string;
  /** After this time it would be of no use. */
  expiresAt: Date;
}

/** Adds an email in the caller's transaction. It is due at once unless `when` says otherwise. */
export function addEmail(
  database: Database,
  uow: UnitOfWork,
  data: EmailData & Record<string, unknown>,
  when: { dueAt?: Date; priority?: number } = {},
): void {
  addWork(database, uow, {
    kind: SEND_EMAIL,
    id: new Types.ObjectId(),
    data,
    dueAt: uow.at,
    ...when,
  });
}
