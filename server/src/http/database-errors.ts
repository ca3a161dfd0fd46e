import mongoose from "mongoose";
import { z } from "zod";

const { mongo } = mongoose;

/** The driver finds no server, loses its server, or gets no usable response in time. */
const UNAVAILABLE_CLASSES = [
  mongo.MongoClientClosedError,
  mongo.MongoExpiredSessionError,
  mongo.MongoNetworkError,
  mongo.MongoNotConnectedError,
  mongo.MongoOperationTimeoutError,
  mongo.MongoServerClosedError,
  mongo.MongoStalePrimaryError,
  mongo.MongoSystemError,
  mongo.MongoTopologyClosedError,
  // Also thrown for a retry on a server that is still connecting.
  mongo.MongoUnexpectedServerResponseError,
  mongo.MongoWriteConcernError,
  mongoose.Error.MongooseServerSelectionError,
];

/** Classes of the same kind that the driver does not export. */
const UNAVAILABLE_NAMES = new Set(["MongoPoolClosedError", "MongoWaitQueueTimeoutError"]);

const RETRYABLE_LABELS = [
  "RetryableWriteError",
  "TransientTransactionError",
  "UnknownTransactionCommitResult",
  "PoolRequestedRetry",
  "RetryableError",
  "SystemOverloadedError",
];

/**
 * Codes of a server that is starting, stopping, stepping down or overloaded.
 * Source: https://www.mongodb.com/docs/manual/reference/error-codes/
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

/** The driver passes these on when it writes to a connection that was just closed. */
const CLOSED_SOCKET_CODES = new Set<unknown>(["EPIPE", "ECONNRESET", "ERR_STREAM_DESTROYED"]);

const DUPLICATE_KEY = 11_000;

const anything = z.unknown().optional();

/** Where errors keep their causes. Errors of bulk writes have no class or labels. */
const fieldsSchema = z.object({
  code: anything,
  cause: anything,
  /** Of an `AggregateError`. */
  errors: anything,
  /** Of a `MongoServerError`, or the error that ended a `MongoBulkWriteError`. */
  errorResponse: anything,
  /** Write concern error of a `MongoBulkWriteError`. */
  err: anything,
  writeErrors: anything,
  writeConcernErrors: anything,
});

/** True if `error` or one of its causes means that the database is unavailable, so that the same call may succeed soon. */
export function isDatabaseUnavailable(error: unknown): boolean {
  const code = fieldsSchema.safeParse(error).data?.code;
  return (
    CLOSED_SOCKET_CODES.has(code) || meansUnavailable(error, { ofDriver: false, seen: new Set() })
  );
}

/** @param context.ofDriver found in an error of the driver, so that its code is a database code */
function meansUnavailable(
  error: unknown,
  { ofDriver, seen }: { ofDriver: boolean; seen: Set<unknown> },
): boolean {
  const fields = fieldsSchema.safeParse(error);
  if (!fields.success || seen.has(error)) return false;
  seen.add(error);
  if (isUnavailableKind(error)) return true;
  const { code, ...related } = fields.data;
  const context = { ofDriver: ofDriver || error instanceof mongo.MongoError, seen };
  const hasCode = UNAVAILABLE_CODES.has(code) || CLOSED_SOCKET_CODES.has(code);
  if (context.ofDriver && hasCode) return true;
  return Object.values(related)
    .flat()
    .some((inner) => meansUnavailable(inner, context));
}

function isUnavailableKind(error: unknown): boolean {
  if (UNAVAILABLE_CLASSES.some((unavailable) => error instanceof unavailable)) return true;
  if (!(error instanceof mongo.MongoError)) return false;
  return (
    UNAVAILABLE_NAMES.has(error.name) ||
    RETRYABLE_LABELS.some((label) => error.hasErrorLabel(label))
  );
}

const duplicateKeySchema = z.object({ keyPattern: z.record(z.string(), z.unknown()) });

/** Field whose unique index rejected a write, or undefined for another error. */
export function duplicateField(error: unknown): string | undefined {
  if (!(error instanceof mongo.MongoServerError) || error.code !== DUPLICATE_KEY) return undefined;
  // Bulk writes name no fields.
  const [field] = Object.keys(duplicateKeySchema.safeParse(error).data?.keyPattern ?? {});
  return field;
}
