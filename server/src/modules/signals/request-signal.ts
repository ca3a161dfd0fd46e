import { createHash } from "node:crypto";
import { IDEMPOTENCY_HOURS } from "@shared/contract/constants.ts";
import type { UploadedFile } from "@shared/contract/routes/define-route.ts";
import type { SignalRequest } from "@shared/contract/signal.ts";
import type { Database } from "@shared/database/database.ts";
import type { SignalRecord } from "@shared/database/models/signal.ts";
import type { UserRecord } from "@shared/database/models/user.ts";
import {
  analysisKey,
  type JoinedAnalysis,
  joiningAnalyses,
  lastCandleClose,
} from "@shared/domain/queue-analysis.ts";
import { newSignalId, queueSignal } from "@shared/domain/queue-signal.ts";
import {
  type CommitOptions,
  commit,
  commitBatched,
  type UnitOfWork,
} from "@shared/outbox/commit.ts";
import { userStream } from "@shared/outbox/streams.ts";
import { AppError } from "@shared/runtime/app-error.ts";
import { withKeys } from "@shared/runtime/keyed-mutex.ts";
import type { FindOptions } from "mongodb";
import type { Types } from "mongoose";
import { idempotencyConflict } from "../../http/errors.ts";
import type { ServerDeps } from "../../server-deps.ts";
import { assertKnownSymbol } from "../markets/known-symbols.ts";
import {
  assertQueueCapacity,
  assertUserLimit,
  countAnalysis,
  readAnalysisSetup,
} from "./signal-limits.ts";

/** For 24 hours, the same `idempotencyKey` of the same user gives the same signal, and is good for this request alone. */
export interface RequestSignalInput {
  user: Pick<UserRecord, "_id">;
  request: SignalRequest;
  /** As the client has sent it. */
  chartImage?: Pick<UploadedFile, "sha256">;
  idempotencyKey?: string;
  requestId?: string;
}

export interface ImageAttachment {
  chartImageId: Types.ObjectId;
  streams: readonly string[];
  /** Writes the image in the signal's transaction, and aborts it by throwing. */
  store: (uow: UnitOfWork, signalId: Types.ObjectId) => Promise<void>;
}

/**
 * Stores a signal, which joins the market analysis of the last closed candle, or queues that analysis.
 * @returns an earlier signal if the idempotency key is known
 */
export function requestSignal(deps: ServerDeps, input: RequestSignalInput): Promise<SignalRecord> {
  return oncePerKey(deps, input, async () => {
    await assertKnownSymbol(deps, input.request.symbol);
    return createSignal(deps, input);
  });
}

/**
 * Creates a signal unless the idempotency key is known, so that a repeated request starts no analysis.
 * @throws AppError `idempotency-conflict` if the key was used for another request
 */
export async function oncePerKey(
  deps: ServerDeps,
  input: RequestSignalInput,
  create: () => Promise<SignalRecord>,
): Promise<SignalRecord> {
  if (!input.idempotencyKey) return create();
  // A concurrent request with the same key must find the signal of this one.
  return withKeys(deps.database, [keyOf(input, input.idempotencyKey)], async () => {
    const earlier = await findEarlier(deps, input);
    if (earlier) return earlier;
    try {
      return await create();
    } catch (error) {
      // Another server was faster.
      const other = isKeyConflict(error) ? await findCommitted(deps, input) : null;
      if (other) return other;
      throw error;
    }
  });
}

/**
 * Stores a signal with its image.
 * @throws AppError `idempotency-conflict` if the key was used meanwhile
 */
export async function createSignal(
  deps: ServerDeps,
  input: RequestSignalInput,
  attachment?: ImageAttachment,
): Promise<SignalRecord> {
  const id = newSignalId();
  const { database, now } = deps;
  const { request, requestId } = input;
  const userId = input.user._id;
  const lockKeys = [userStream(userId), ...(attachment?.streams ?? [])];
  const options: CommitOptions = {
    lockKeys,
    groupCommit: attachment === undefined,
    requestId,
    now,
  };
  const write = (uow: UnitOfWork, joined?: JoinedAnalysis) =>
    writeSignal(deps, uow, { input, id, attachment, joined });
  if (attachment) return commit(database, options, (uow) => write(uow));
  const candleClosedAt = lastCandleClose(request.timeframe, now());
  const setup = await readAnalysisSetup(deps);
  const key = analysisKey({ ...request, candleClosedAt }, setup);
  const batch = {
    write: joiningAnalyses,
    input: (at: Date) => ({ database, userId, request, requestId, key, candleClosedAt, at }),
  };
  return commitBatched(database, { ...options, batch }, write);
}

async function writeSignal(
  deps: ServerDeps,
  uow: UnitOfWork,
  pending: {
    input: RequestSignalInput;
    id: Types.ObjectId;
    attachment: ImageAttachment | undefined;
    joined: JoinedAnalysis | undefined;
  },
): Promise<SignalRecord> {
  const { database } = deps;
  const { input, id, attachment, joined } = pending;
  const { request, requestId, idempotencyKey } = input;
  const userId = input.user._id;
  if (await findUse(database, input, uow.at, { session: uow.session })) throw idempotencyConflict();
  if (!joined || joined.isNew) {
    await assertQueueCapacity(deps);
    await countAnalysis(deps, uow, userId);
  }
  const signal = await queueSignal(database, uow, {
    id,
    userId,
    request,
    requestId,
    ...(attachment && { chartImageId: attachment.chartImageId }),
    ...(joined && { joined }),
    assertUserLimit: (unfinishedSignals) => assertUserLimit(deps, unfinishedSignals),
  });
  await attachment?.store(uow, id);
  if (idempotencyKey) {
    await database.idempotencyKeys.updateOne(
      { _id: keyOf(input, idempotencyKey) },
      { $set: { signalId: id, request: fingerprintOf(input), createdAt: uow.at } },
      { session: uow.session, upsert: true },
    );
  }
  return signal;
}

/** @returns whether the user has used the key in the last 24 hours */
export const isKnownKey = async (
  { database, now }: ServerDeps,
  input: KeyInput,
): Promise<boolean> => (await findUse(database, input, now())) !== null;

type KeyInput = Pick<RequestSignalInput, "user" | "idempotencyKey">;

type ReadOptions = Pick<FindOptions, "session" | "readConcern" | "maxTimeMS">;

/** Waits until a majority has what is read: up to a tenth of a second, when the database next writes its journal. */
const LATEST: ReadOptions = { readConcern: { level: "linearizable" }, maxTimeMS: 5_000 };

/** The signal that made a transaction conflict. A transaction may see it before a majority has it; other reads see it later. */
const findCommitted = async (
  deps: ServerDeps,
  input: RequestSignalInput,
): Promise<SignalRecord | null> =>
  (await findEarlier(deps, input)) ?? (await findEarlier(deps, input, LATEST));

async function findEarlier(
  { database, now }: ServerDeps,
  input: RequestSignalInput,
  options: ReadOptions = {},
): Promise<SignalRecord | null> {
  const use = await findUse(database, input, now(), options);
  if (!use) return null;
  // Keys of earlier versions have no fingerprint.
  if (use.request !== undefined && use.request !== fingerprintOf(input))
    throw idempotencyConflict();
  return use.signal;
}

/** The signal of a known key, and the fingerprint of its request. */
async function findUse(
  database: Database,
  input: KeyInput,
  at: Date,
  options: ReadOptions = {},
): Promise<{ signal: SignalRecord; request: string | undefined } | null> {
  if (!input.idempotencyKey) return null;
  const key = keyOf(input, input.idempotencyKey);
  const oldest = new Date(at.getTime() - IDEMPOTENCY_HOURS * 3_600_000);
  const known = await database.idempotencyKeys
    .findOne({ _id: key, createdAt: { $gt: oldest } }, null, options)
    .lean();
  const signal = known && (await database.signals.findById(known.signalId, null, options).lean());
  return signal && { signal, request: known.request };
}

const keyOf = (input: Pick<RequestSignalInput, "user">, key: string): string =>
  `${input.user._id}:${key}`;

/** Equal for requests that mean the same. */
function fingerprintOf({ request, chartImage }: RequestSignalInput): string {
  const { symbol, timeframe, limit, amount, risk_percent, leverage } = request;
  const image = chartImage?.sha256 ?? null;
  const parts = [symbol, timeframe, limit, amount, risk_percent, leverage, image];
  return createHash("sha256").update(JSON.stringify(parts)).digest("hex");
}

const isKeyConflict = (error: unknown): boolean =>
  error instanceof AppError && error.code === "idempotency-conflict";
