import mongoose from "mongoose";
import { z } from "zod";

const {
  MongoClientClosedError,
  MongoError,
  MongoNetworkError,
  MongoNotConnectedError,
  MongoOperationTimeoutError,
  MongoServerError,
  MongoSystemError,
  MongoTopologyClosedError,
  MongoWriteConcernError,
} = mongoose.mongo;

/** What the driver throws when it finds no server, loses the one it has, or does not hear from it in time. */
const UNAVAILABLE_CLASSES = [
  MongoClientClosedError,
  MongoNetworkError,
  MongoNotConnectedError,
  MongoOperationTimeoutError,
  MongoSystemError,
  MongoTopologyClosedError,
  MongoWriteConcernError,
];

/** The same, by the names of classes that the driver does not export. */
const UNAVAILABLE_NAMES = new Set(["MongoPoolClosedError", "MongoWaitQueueTimeoutError"]);

/** What the driver marks so may well work on the next try: a new primary, or less contention. */
const RETRYABLE_LABELS = [
  "RetryableWriteError",
  "TransientTransactionError",
  "UnknownTransactionCommitResult",
];

/** Codes of a server that is going down or has lost its place; source: MongoDB's Retryable Reads specification. */
const RETRYABLE_CODES = new Set<unknown>([
  6, 7, 89, 91, 134, 189, 262, 9_001, 10_107, 11_600, 11_602, 13_435, 13_436,
]);

/** The driver passes these on as they are when it writes to a connection that has just been closed. */
const CLOSED_SOCKET_CODES = new Set<unknown>(["EPIPE", "ECONNRESET", "ERR_STREAM_DESTROYED"]);

const DUPLICATE_KEY = 11_000;

/** Whether `error` says that the database cannot be reached or does not answer at the moment. */
export function isDatabaseUnavailable(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const code = "code" in error ? error.code : undefined;
  if (!(error instanceof MongoError)) return CLOSED_SOCKET_CODES.has(code);
  return (
    UNAVAILABLE_CLASSES.some((unavailable) => error instanceof unavailable) ||
    UNAVAILABLE_NAMES.has(error.name) ||
    RETRYABLE_LABELS.some((label) => error.hasErrorLabel(label)) ||
    RETRYABLE_CODES.has(code)
  );
}

const duplicateKeySchema = z.object({ keyPattern: z.record(z.string(), z.unknown()) });

/** The field whose unique index refused a write, or undefined if `error` is something else. */
export function duplicateField(error: unknown): string | undefined {
  if (!(error instanceof MongoServerError) || error.code !== DUPLICATE_KEY) return undefined;
  const [field] = Object.keys(duplicateKeySchema.parse(error).keyPattern);
  return field;
}
