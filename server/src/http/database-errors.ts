import mongoose from "mongoose";
import { z } from "zod";

const {
  MongoClientClosedError,
  MongoError,
  MongoExpiredSessionError,
  MongoNetworkError,
  MongoNotConnectedError,
  MongoOperationTimeoutError,
  MongoServerClosedError,
  MongoServerError,
  MongoStalePrimaryError,
  MongoSystemError,
  MongoTopologyClosedError,
  MongoUnexpectedServerResponseError,
  MongoWriteConcernError,
} = mongoose.mongo;

/** Thrown when the driver finds no server, loses the one it has, or gets no usable answer from it in time. */
const UNAVAILABLE_CLASSES = [
  MongoClientClosedError,
  MongoExpiredSessionError,
  MongoNetworkError,
  MongoNotConnectedError,
  MongoOperationTimeoutError,
  MongoServerClosedError,
  MongoStalePrimaryError,
  MongoSystemError,
  MongoTopologyClosedError,
  // Also thrown for a retry on a server that has not introduced itself yet.
  MongoUnexpectedServerResponseError,
  MongoWriteConcernError,
  mongoose.Error.MongooseServerSelectionError,
];

/** The same, by the names of classes that the driver does not export. */
const UNAVAILABLE_NAMES = new Set(["MongoPoolClosedError", "MongoWaitQueueTimeoutError"]);

/** The same call may work on the next try: there is a new primary then, or less load. */
const RETRYABLE_LABELS = [
  "RetryableWriteError",
  "TransientTransactionError",
  "UnknownTransactionCommitResult",
  "PoolRequestedRetry",
  "RetryableError",
  "SystemOverloadedError",
];

/**
 * Codes of a server that is starting, stopping, has lost its place in the replica set, or cannot answer in time. Names
 * and meanings: https://www.mongodb.com/docs/manual/reference/error-codes/
 */
const UNAVAILABLE_CODES = new Set<unknown>([
  6, // HostUnreachable
  7, // HostNotFound
  43, // CursorNotFound: the server that had it was restarted
  50, // MaxTimeMSExpired
  64, // WriteConcernFailed, WriteConcernTimeout
  89, // NetworkTimeout
  91, // ShutdownInProgress
  94, // NotYetInitialized
  133, // FailedToSatisfyReadPreference
  134, // ReadConcernMajorityNotAvailableYet
  189, // PrimarySteppedDown
  202, // NetworkInterfaceExceededTimeLimit
  216, // ElectionInProgress
  251, // NoSuchTransaction: the server that had it was restarted
  262, // ExceededTimeLimit
  9_001, // SocketException
  10_058, // LegacyNotPrimary
  10_107, // NotWritablePrimary
  11_600, // InterruptedAtShutdown
  11_602, // InterruptedDueToReplStateChange
  13_435, // NotPrimaryNoSecondaryOk
  13_436, // NotPrimaryOrSecondary
]);

/** The driver passes these on as they are when it writes to a connection that has just been closed. */
const CLOSED_SOCKET_CODES = new Set<unknown>(["EPIPE", "ECONNRESET", "ERR_STREAM_DESTROYED"]);

const DUPLICATE_KEY = 11_000;

const anything = z.unknown().optional();

/** Where errors keep the errors that they come from. Those of bulk writes keep nothing of their class or labels. */
const fieldsSchema = z.object({
  code: anything,
  cause: anything,
  /** Of an `AggregateError`. */
  errors: anything,
  /** Of a `MongoServerError`; in a `MongoBulkWriteError` the error that ended it. */
  errorResponse: anything,
  /** Of a `MongoBulkWriteError`: that of the write concern. */
  err: anything,
  writeErrors: anything,
  writeConcernErrors: anything,
});

/**
 * Says whether `error`, or one that it comes from, means that the database cannot be reached or cannot do its work at the
 * moment, so that the same call may succeed soon.
 */
export function isDatabaseUnavailable(error: unknown): boolean {
  const code = fieldsSchema.safeParse(error).data?.code;
  return (
    CLOSED_SOCKET_CODES.has(code) || meansUnavailable(error, { ofDriver: false, seen: new Set() })
  );
}

/** @param context.ofDriver whether it was found in an error of the driver, so that its code is one of the database */
function meansUnavailable(
  error: unknown,
  { ofDriver, seen }: { ofDriver: boolean; seen: Set<unknown> },
): boolean {
  const fields = fieldsSchema.safeParse(error);
  if (!fields.success || seen.has(error)) return false;
  seen.add(error);
  if (isUnavailableKind(error)) return true;
  const { code, ...related } = fields.data;
  const context = { ofDriver: ofDriver || error instanceof MongoError, seen };
  const hasCode = UNAVAILABLE_CODES.has(code) || CLOSED_SOCKET_CODES.has(code);
  if (context.ofDriver && hasCode) return true;
  return Object.values(related)
    .flat()
    .some((inner) => meansUnavailable(inner, context));
}

function isUnavailableKind(error: unknown): boolean {
  if (UNAVAILABLE_CLASSES.some((unavailable) => error instanceof unavailable)) return true;
  if (!(error instanceof MongoError)) return false;
  return (
    UNAVAILABLE_NAMES.has(error.name) ||
    RETRYABLE_LABELS.some((label) => error.hasErrorLabel(label))
  );
}

const duplicateKeySchema = z.object({ keyPattern: z.record(z.string(), z.unknown()) });

/** The field whose unique index refused a write, or undefined if `error` is something else. */
export function duplicateField(error: unknown): string | undefined {
  if (!(error instanceof MongoServerError) || error.code !== DUPLICATE_KEY) return undefined;
  // A bulk write names no fields.
  const [field] = Object.keys(duplicateKeySchema.safeParse(error).data?.keyPattern ?? {});
  return field;
}
