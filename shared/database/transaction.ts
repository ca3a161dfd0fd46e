import type { ClientSession, Connection } from "mongoose";
import mongoose from "mongoose";

const { MongoError, MongoServerError } = mongoose.mongo;

/**
 * Longest wait for the majority to acknowledge a commit, in milliseconds. Shorter than a unit of work may take in all, so
 * that the caller learns of it in time.
 */
const MAX_COMMIT_MS = 4_000;

const OPTIONS = { writeConcern: { w: "majority" }, maxCommitTimeMS: MAX_COMMIT_MS } as const;

/**
 * Runs `work` in one transaction, once. The driver's own retries are not used: they wait for up to two minutes.
 * @throws what `work` throws; nothing is committed then
 * @throws MongoError when the commit fails; see `canRetry` and `mayHaveCommitted`
 */
export async function runTransaction<Result>(
  { connection }: { connection: Connection },
  work: (session: ClientSession) => Promise<Result>,
): Promise<Result> {
  const session = connection.getClient().startSession();
  try {
    session.startTransaction(OPTIONS);
    const result = await work(session);
    await session.commitTransaction();
    return result;
  } finally {
    // Aborts a transaction that is still open.
    await session.endSession();
  }
}

/** Whether a commit may have succeeded although it failed: its acknowledgement was lost or came too late. */
export const mayHaveCommitted = (error: unknown): boolean =>
  error instanceof MongoError && error.hasErrorLabel("UnknownTransactionCommitResult");

/**
 * Whether the same transaction may succeed on the next try: another one wrote the same documents, or the database could
 * not be reached. Nothing has been committed.
 */
export function canRetry(error: unknown): boolean {
  if (!(error instanceof MongoError) || mayHaveCommitted(error)) return false;
  // A bulk write wraps an error of the connection as one of the server, but without a code.
  const isFromServer = error instanceof MongoServerError && error.code !== undefined;
  return !isFromServer || error.hasErrorLabel("TransientTransactionError");
}
