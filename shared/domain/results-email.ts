import type { UnitOfWork } from "@shared/outbox/commit.ts";
import type { Types } from "mongoose";
import { z } from "zod";
import type { Database } from "../database/database.ts";
import { addEmail } from "./email-work.ts";

/** Data of a work item that sends a user the figures of a month. */
export const resultsEmailDataSchema = z.object({
  userId: z.string(),
  kind: z.literal("monthly-results"),
  /** Such as `2026-10`, in UTC like the days of the results. */
  month: z.string(),
  expiresAt: z.date(),
});
export type ResultsEmailData = z.infer<typeof resultsEmailDataSchema>;

/**
 * The last month that is over in the operator's time zone and in UTC.
 * @param timeZone UTC if it is empty
 */
export function lastMonthAt(at: Date, timeZone: string): string {
  const utc = at.toISOString().slice(0, 7);
  const local = monthIn(at, timeZone || "UTC");
  return monthAfter(local < utc ? local : utc, -1);
}

function monthIn(at: Date, timeZone: string): string {
  const parts = new Intl.DateTimeFormat("en", { year: "numeric", month: "2-digit", timeZone });
  const partOf = (wanted: string) =>
    parts.formatToParts(at).find(({ type }) => type === wanted)?.value ?? "";
  return `${partOf("year")}-${partOf("month")}`;
}

const startOf = (month: string): Date => new Date(`${month}-01T00:00:00Z`);

function monthAfter(month: string, months: number): string {
  const start = startOf(month);
  start.setUTCMonth(start.getUTCMonth() + months);
  return start.toISOString().slice(0, 7);
}

/** From its start to that of the next one. */
export const rangeOf = (month: string): { since: Date; until: Date } => ({
  since: startOf(month),
  until: startOf(monthAfter(month, 1)),
});

/** Other emails of the kind go first. */
const PRIORITY = -10;

/** Adds the email about a month, which is of use until the next one. */
export function addResultsEmail(
  database: Database,
  uow: UnitOfWork,
  { userId, month }: { userId: Types.ObjectId; month: string },
): void {
  const data: ResultsEmailData = {
    userId: userId.toString(),
    kind: "monthly-results",
    month,
    expiresAt: startOf(monthAfter(month, 2)),
  };
  addEmail(database, uow, data, { priority: PRIORITY });
}
