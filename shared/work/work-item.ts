import { createHash } from "node:crypto";
import type { UnitOfWork } from "@shared/outbox/commit.ts";
import { type ClientSession, Types } from "mongoose";
import { type Database, nativeCollection } from "../database/database.ts";
import type { JobRecord } from "../database/models/job.ts";

export interface NewWork {
  /** Name of the kind, which the queue dashboard shows as the name of the job. */
  kind: string;
  /** Two items of the same id are one: see `workId`. */
  id: Types.ObjectId;
  data: JobRecord["data"];
  /** Not done before. Items of the highest priority are done first, then the longest due. */
  dueAt: Date;
  priority?: number;
}

/** A work item, as Agenda stores a job. */
export const newWorkItem = ({ kind, id, data, dueAt, priority = 0 }: NewWork): JobRecord => ({
  _id: id,
  name: kind,
  type: "normal",
  data,
  priority,
  nextRunAt: dueAt,
  lockedAt: null,
  lastModifiedBy: null,
  disabled: null,
  lastRunAt: null,
  lastFinishedAt: null,
  progress: null,
  failedAt: null,
  failCount: null,
  failReason: null,
  repeatInterval: null,
  repeatAt: null,
  repeatTimezone: null,
});

/** Adds a work item in the transaction that causes it. */
export function addWork({ jobs }: Database, uow: UnitOfWork, work: NewWork): void {
  uow.deferInsert(jobs, newWorkItem(work));
}

/** Adds a work item unless there is one with its id. */
export async function addItemIfNone(
  { jobs }: Database,
  { _id, ...item }: JobRecord,
  session?: ClientSession,
): Promise<void> {
  const options = { upsert: true, ...(session && { session }) };
  await nativeCollection(jobs).updateOne({ _id }, { $setOnInsert: item }, options);
}

/** The id of the item of a kind for a key, so that there is one. */
export const workId = (kind: string, key: string): Types.ObjectId =>
  new Types.ObjectId(createHash("sha256").update(`${kind} ${key}`).digest("hex").slice(0, 24));
