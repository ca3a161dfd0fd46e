import type { ClientSession, Connection } from "mongoose";
import mongoose from "mongoose";

const { MongoError, MongoServerError } = mongoose.mongo;

/** Shorter than the timeout of a unit of work. */
const COMMIT_TIMEOUT_MS = 4_000;

const OPTIONS = { writeConcern: { w: "majority" }, maxCommitTimeMS: COMMIT_TIMEOUT_MS } as const;

/**
 * Runs `work` in one transaction, without the driver's own retries, which wait for up to two minutes.
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

/** Returns true if the reply to a commit was lost or late: it may have succeeded. */
export const mayHaveCommitted = (error: unknown): boolean =>
  error instanceof MongoError && error.hasErrorLabel("UnknownTransactionCommitResult");

/** Returns true after a write conflict or a connection error: nothing was committed, and a retry may succeed. */
export function canRetry(error: unknown): boolean {
  if (!(error instanceof MongoError) || mayHaveCommitted(error)) return false;
  // A bulk write wraps a connection error as a server error without a code.
  const isFromServer = error instanceof MongoServerError && error.code !== undefined;
  return !isFromServer || error.hasErrorLabel("TransientTransactionError");
}
