import type { Database } from "@shared/node/database.ts";
import { withDeadline } from "@shared/node/deadline.ts";
import {
  appendToHeadFile,
  headFile,
  type PublishedHead,
  readHeadFile,
} from "@shared/node/ledger/head-file.ts";
import { readHead } from "@shared/node/ledger/read-ledger.ts";
import type { Logger } from "@shared/node/logger.ts";
import type { LedgerPublicationRecord } from "@shared/node/models/ledger.ts";
import pRetry from "p-retry";

/** A webhook that takes longer than this for one request has not taken it. */
const POST_TIMEOUT_MS = 10_000;

/** Tries at one go, over about a minute; the next start of a worker tries again. */
const POST_RETRIES = 5;
const FIRST_RETRY_MS = 2_000;

export interface PublishHeadDeps {
  database: Database;
  logger: Logger;
  dataDir: string;
  webhookUrl: string | undefined;
  now: () => Date;
  /** Ends the waiting for a webhook. */
  abort: AbortSignal;
  firstRetryMs?: number;
}

/**
 * Publishes the ledger's head of today, where it cannot be changed together with the ledger: to a file, to the log, and
 * to the webhook if there is one. What is published for a day is settled once, by whoever comes first; each worker's
 * file gets all days that it lacks. Does nothing while the ledger is empty.
 * @throws when the webhook did not take it; called again, it tries once more
 */
export async function publishLedgerHead(deps: PublishHeadDeps): Promise<void> {
  const { database, logger, dataDir } = deps;
  const today = await settleToday(deps);
  if (!today) return;
  const file = headFile(dataDir);
  const known = new Set((await readHeadFile(file)).map(({ day }) => day));
  const published = await database.ledgerPublications.find().sort({ _id: 1 }).lean();
  const missing = published.map(present).filter(({ day }) => !known.has(day));
  await appendToHeadFile(file, missing);
  for (const head of missing) logger.info(head, "ledger head");
  await postOnce(deps, today);
}

async function settleToday({
  database,
  now,
}: PublishHeadDeps): Promise<LedgerPublicationRecord | null> {
  const { seq, hash, at } = await readHead(database);
  if (at === null) return null;
  const day = now().toISOString().slice(0, 10);
  return database.ledgerPublications
    .findOneAndUpdate(
      { _id: day },
      { $setOnInsert: { seq, hash, at } },
      { upsert: true, returnDocument: "after" },
    )
    .lean();
}

const present = ({ _id, seq, hash, at }: LedgerPublicationRecord): PublishedHead => ({
  day: _id,
  seq,
  hash,
  at,
});

async function postOnce(deps: PublishHeadDeps, today: LedgerPublicationRecord): Promise<void> {
  const { database, logger, webhookUrl, now, abort, firstRetryMs = FIRST_RETRY_MS } = deps;
  if (!webhookUrl || today.postedAt) return;
  const body = JSON.stringify(present(today));
  await pRetry(() => post({ url: webhookUrl, body, abort }), {
    retries: POST_RETRIES,
    minTimeout: firstRetryMs,
    signal: abort,
    onFailedAttempt: ({ error }) => logger.warn({ err: error }, "ledger webhook did not answer"),
  });
  await database.ledgerPublications.updateOne({ _id: today._id }, { $set: { postedAt: now() } });
}

async function post(request: { url: string; body: string; abort: AbortSignal }): Promise<void> {
  const { url, body, abort } = request;
  const response = await withDeadline({ abort, timeoutMs: POST_TIMEOUT_MS }, (signal) =>
    fetch(url, {
      method: "POST",
      headers: { "Content-Type": "application/json" },
      body,
      redirect: "error",
      signal,
    }),
  );
  await response.body?.cancel();
  if (!response.ok) throw new Error(`the ledger webhook answered with ${response.status}`);
}
