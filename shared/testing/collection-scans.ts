import { type Database, nativeDb } from "@shared/database/database.ts";
import { z } from "zod";

const PROFILE_BYTES = 32_000_000;

/** Records the operations that read a collection from end to end, until the database is closed. */
export async function recordScans({ connection }: Database): Promise<void> {
  const db = nativeDb(connection);
  await db.command({ profile: 0 });
  await db.dropCollection("system.profile").catch(() => undefined);
  await db.createCollection("system.profile", { capped: true, size: PROFILE_BYTES });
  await db.command({ profile: 1, filter: { planSummary: "COLLSCAN" } });
}

const operationSchema = z.object({
  ns: z.string(),
  op: z.string(),
  command: z.record(z.string(), z.unknown()),
});

/** Collections that are read as a whole, and why that does not grow. */
const READ_WHOLE: Record<string, string> = {
  agendaJobs: "finished jobs are deleted, and the dashboard counts all others",
  candle_requests: "they are kept for a minute",
  chart_images: "old images are deleted, and the cleanup looks for those that belong to no signal",
};

/** The operations with a condition, such as `signals: {"status":"failed"}`. Without one, an index cannot help. */
export async function recordedScans({ connection }: Database): Promise<string[]> {
  const operations = await nativeDb(connection).collection("system.profile").find().toArray();
  const scans = operations.flatMap((document) => {
    const { ns, command } = operationSchema.parse(document);
    const { filter, query, q, pipeline } = command;
    const condition = filter ?? query ?? q ?? pipeline;
    const text = JSON.stringify(condition) ?? "{}";
    const collection = ns.slice(ns.indexOf(".") + 1);
    const isWhole = text === "{}" || text.startsWith('[{"$group"') || collection in READ_WHOLE;
    return isWhole ? [] : `${collection}: ${text}`;
  });
  return [...new Set(scans)].toSorted();
}

export async function endRecording({ connection }: Database): Promise<void> {
  await nativeDb(connection).command({ profile: 0 });
}
