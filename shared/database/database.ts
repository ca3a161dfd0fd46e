import type { Collection, Db, Document } from "mongodb";
import type { Connection, Model } from "mongoose";
import mongoose from "mongoose";
import {
  type AiSpendingRecord,
  aiSpendingSchema,
  type SignalUsageRecord,
  signalUsageSchema,
} from "./models/ai-usage.ts";
import {
  type AuditEntryRecord,
  auditEntrySchema,
  type EventRecord,
  eventSchema,
  type StreamHeadRecord,
  streamHeadSchema,
} from "./models/event.ts";
import {
  type AddressHoldRecord,
  addressHoldSchema,
  type DashboardTokenRecord,
  dashboardTokenSchema,
  type FirebaseAccountRecord,
  firebaseAccountSchema,
  type IdentityRecord,
  identitySchema,
  type MailTokenRecord,
  mailTokenSchema,
  type RateLimitRecord,
  rateLimitSchema,
} from "./models/identity.ts";
import { type JobRecord, jobSchema } from "./models/job.ts";
import {
  type LedgerDocument,
  type LedgerHeadRecord,
  type LedgerPublicationRecord,
  type LedgerRevealRecord,
  ledgerHeadSchema,
  ledgerPublicationSchema,
  ledgerRevealSchema,
  ledgerSchema,
  type WitnessReceiptRecord,
  witnessReceiptSchema,
} from "./models/ledger.ts";
import {
  type AnalysisCandlesRecord,
  analysisCandlesSchema,
  type MarketAnalysisRecord,
  type MarketCandlesRecord,
  marketAnalysisSchema,
  marketCandlesSchema,
  type OutcomeCandlesRecord,
  outcomeCandlesSchema,
} from "./models/market-analysis.ts";
import {
  type PaymentDetailsRecord,
  type PaymentProofRecord,
  paymentDetailsSchema,
  paymentProofSchema,
} from "./models/payment.ts";
import {
  type CalibrationRecord,
  calibrationSchema,
  type PerformanceDayRecord,
  type PerformanceStateRecord,
  performanceDaySchema,
  performanceStateSchema,
} from "./models/performance.ts";
import {
  type IdempotencyRecord,
  idempotencySchema,
  type SignalRecord,
  signalSchema,
} from "./models/signal.ts";
import { type ChartImageRecord, chartImageSchema } from "./models/stored-file.ts";
import {
  type CreditEntryRecord,
  creditEntrySchema,
  type UserRecord,
  userSchema,
} from "./models/user.ts";
import {
  type AnalysisSetupRecord,
  analysisSetupSchema,
  type MarketListingRecord,
  type MarketSnapshotRecord,
  marketListingSchema,
  marketSnapshotSchema,
  type WorkerStatusRecord,
  workerStatusSchema,
} from "./models/worker-reports.ts";

/**
 * How soon an outage is noticed: a database that is gone or frozen is known to be so after about
 * `HEARTBEAT_MS + CONNECT_TIMEOUT_MS`, and whatever waits for it fails `SERVER_SELECTION_MS` later. Together less
 * than the 10 s within which the API promises its 503.
 */
const HEARTBEAT_MS = 1_000;
const CONNECT_TIMEOUT_MS = 2_500;
const SERVER_SELECTION_MS = 3_000;

/** Last resort for an answer that never comes on a connection that looks alive. */
const SOCKET_TIMEOUT_MS = 30_000;

/** By what somebody gets in. */
function defineAccessModels(connection: Connection) {
  return {
    identities: connection.model<IdentityRecord>("Identity", identitySchema),
    mailTokens: connection.model<MailTokenRecord>("MailToken", mailTokenSchema),
    firebaseAccounts: connection.model<FirebaseAccountRecord>(
      "FirebaseAccount",
      firebaseAccountSchema,
    ),
    addressHolds: connection.model<AddressHoldRecord>("AddressHold", addressHoldSchema),
    queuePasses: connection.model<DashboardTokenRecord>("QueuePass", dashboardTokenSchema),
  };
}

/** What signals are made from. */
function defineAnalysisModels(connection: Connection) {
  return {
    marketAnalyses: connection.model<MarketAnalysisRecord>("MarketAnalysis", marketAnalysisSchema),
    analysisCandles: connection.model<AnalysisCandlesRecord>(
      "AnalysisCandles",
      analysisCandlesSchema,
    ),
    aiSpending: connection.model<AiSpendingRecord>("AiSpending", aiSpendingSchema),
    analysisSetup: connection.model<AnalysisSetupRecord>("AnalysisSetup", analysisSetupSchema),
  };
}

function defineModels(connection: Connection) {
  return {
    users: connection.model<UserRecord>("User", userSchema),
    ...defineAccessModels(connection),
    events: connection.model<EventRecord>("Event", eventSchema),
    streamHeads: connection.model<StreamHeadRecord>("StreamHead", streamHeadSchema),
    jobs: connection.model<JobRecord>("Job", jobSchema),
    auditEntries: connection.model<AuditEntryRecord>("AuditEntry", auditEntrySchema),
    creditEntries: connection.model<CreditEntryRecord>("CreditEntry", creditEntrySchema),
    paymentDetails: connection.model<PaymentDetailsRecord>("PaymentDetails", paymentDetailsSchema),
    signals: connection.model<SignalRecord>("Signal", signalSchema),
    ledger: connection.model<LedgerDocument>("Ledger", ledgerSchema),
    ledgerReveals: connection.model<LedgerRevealRecord>("LedgerReveal", ledgerRevealSchema),
    ledgerHeads: connection.model<LedgerHeadRecord>("LedgerHead", ledgerHeadSchema),
    ledgerPublications: connection.model<LedgerPublicationRecord>(
      "LedgerPublication",
      ledgerPublicationSchema,
    ),
    witnessReceipts: connection.model<WitnessReceiptRecord>("WitnessReceipt", witnessReceiptSchema),
    ...defineAnalysisModels(connection),
    signalUsages: connection.model<SignalUsageRecord>("SignalUsage", signalUsageSchema),
    outcomeCandles: connection.model<OutcomeCandlesRecord>("OutcomeCandles", outcomeCandlesSchema),
    marketCandles: connection.model<MarketCandlesRecord>("MarketCandles", marketCandlesSchema),
    idempotencyKeys: connection.model<IdempotencyRecord>("IdempotencyKey", idempotencySchema),
    paymentProofs: connection.model<PaymentProofRecord>("PaymentProof", paymentProofSchema),
    chartImages: connection.model<ChartImageRecord>("ChartImage", chartImageSchema),
    workerStatuses: connection.model<WorkerStatusRecord>("WorkerStatus", workerStatusSchema),
    rateLimits: connection.model<RateLimitRecord>("RateLimit", rateLimitSchema),
    marketListings: connection.model<MarketListingRecord>("MarketListing", marketListingSchema),
    marketSnapshots: connection.model<MarketSnapshotRecord>("MarketSnapshot", marketSnapshotSchema),
    performanceDays: connection.model<PerformanceDayRecord>("PerformanceDay", performanceDaySchema),
    performanceStates: connection.model<PerformanceStateRecord>(
      "PerformanceState",
      performanceStateSchema,
    ),
    calibrations: connection.model<CalibrationRecord>("Calibration", calibrationSchema),
  };
}

/**
 * Connects to MongoDB (a replica set) and makes sure of the indexes and collections that transactions need.
 * The connection heals by itself after an outage.
 */
export async function openDatabase(options: { uri: string; maxPoolSize?: number }) {
  const connection = mongoose.createConnection(options.uri, {
    autoIndex: false,
    autoCreate: false,
    bufferCommands: false,
    maxPoolSize: options.maxPoolSize ?? 100,
    heartbeatFrequencyMS: HEARTBEAT_MS,
    connectTimeoutMS: CONNECT_TIMEOUT_MS,
    serverSelectionTimeoutMS: SERVER_SELECTION_MS,
    socketTimeoutMS: SOCKET_TIMEOUT_MS,
    writeConcern: { w: "majority" },
    readConcern: { level: "majority" },
  });
  const models = defineModels(connection);
  await connection.asPromise();
  await refuseFormerFormat(connection);
  for (const model of Object.values(models)) {
    await model.createCollection();
    await model.createIndexes();
  }
  return { connection, ...models, close: () => connection.close() };
}

/**
 * Refuses a database of a former release, in which sequence numbers lay among the events, or signals had no analysis.
 * @throws Error with one line for the operator
 */
async function refuseFormerFormat(connection: Connection): Promise<void> {
  const db = nativeDb(connection);
  const formerEvent = await db
    .collection<{ _id: string }>("events")
    .findOne({ _id: { $type: "string" } });
  const formerSignal = await db.collection("signals").findOne({ analysisId: { $exists: false } });
  if (!formerEvent && !formerSignal) return;
  await connection.close();
  throw new Error(
    "The database was made by a former version and cannot be used. Use another MONGODB_URI, or delete DATA_DIR/mongo.",
  );
}

/** The open database: its connection and the models on it. */
export type Database = Awaited<ReturnType<typeof openDatabase>>;

const databases = new WeakMap<Connection, Db>();

/** The driver's own view of a connection's database. */
export function nativeDb(connection: Connection): Db {
  const db = databases.get(connection) ?? connection.getClient().db(connection.name);
  databases.set(connection, db);
  return db;
}

/**
 * The driver's own collection of a model, for what is asked most often: typed alike, but without the casts and checks
 * that mongoose makes for each command.
 */
export const nativeCollection = <Stored extends Document>({
  db,
  collection,
}: Model<Stored>): Collection<Stored> => nativeDb(db).collection<Stored>(collection.collectionName);
