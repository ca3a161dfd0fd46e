import { IDEMPOTENCY_HOURS } from "@shared/contract/constants.ts";
import type { SignalRequest } from "@shared/contract/signal.ts";
import type { Database } from "@shared/database/database.ts";
import type { SignalRecord } from "@shared/database/models/signal.ts";
import type { UserRecord } from "@shared/database/models/user.ts";
import {
  analysisKey,
  type JoinedAnalysis,
  joiningAnalyses,
  lastCandleClose,
  newAnalysisJob,
} from "@shared/domain/queue-analysis.ts";
import { newSignalId, queueSignal } from "@shared/domain/queue-signal.ts";
import {
  type CommitOptions,
  commit,
  commitBatched,
  type UnitOfWork,
} from "@shared/outbox/commit.ts";
import { userStream } from "@shared/outbox/streams.ts";
import { withKeys } from "@shared/runtime/keyed-mutex.ts";
import type { ClientSession, Types } from "mongoose";
import type { ServerDeps } from "../../server-deps.ts";
import { assertKnownSymbol } from "../markets/known-symbols.ts";
import {
  assertQueueCapacity,
  assertUserLimit,
  countAnalysis,
  readAnalysisSetup,
} from "./signal-limits.ts";

/** For 24 hours, the same `idempotencyKey` of the same user gives the same signal. */
export interface RequestSignalInput {
  user: Pick<UserRecord, "_id">;
  request: SignalRequest;
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
export async function requestSignal(
  deps: ServerDeps,
  input: RequestSignalInput,
): Promise<SignalRecord> {
  await assertKnownSymbol(deps, input.request.symbol);
  return createSignal(deps, input);
}

/** Stores a signal with its image, unless the idempotency key is known. */
export async function createSignal(
  deps: ServerDeps,
  input: RequestSignalInput,
  attachment?: ImageAttachment,
): Promise<SignalRecord> {
  const id = newSignalId();
  if (!input.idempotencyKey) return insertOnce(deps, input, { id, attachment });
  // A concurrent request with the same key must find the signal of this one.
  return withKeys(deps.database, [keyOf(input, input.idempotencyKey)], () =>
    insertOnce(deps, input, { id, attachment }),
  );
}

async function insertOnce(
  deps: ServerDeps,
  input: RequestSignalInput,
  { id, attachment }: { id: Types.ObjectId; attachment: ImageAttachment | undefined },
): Promise<SignalRecord> {
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
  const earlier = await findByIdempotencyKey(database, input, uow);
  if (earlier) {
    // The analysis is already stored, and other signals may join it.
    if (joined?.isNew) {
      const job = newAnalysisJob(
        { ...joined.analysis, userId },
        { at: uow.at, unfinishedSignals: 0 },
      );
      uow.deferInsert(database.jobs.collection, job);
    }
    return earlier;
  }
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
      { $set: { signalId: id, createdAt: uow.at } },
      { session: uow.session, upsert: true },
    );
  }
  return signal;
}

export async function findByIdempotencyKey(
  database: Database,
  input: Pick<RequestSignalInput, "user" | "idempotencyKey">,
  options: { at: Date; session?: ClientSession },
): Promise<SignalRecord | null> {
  if (!input.idempotencyKey) return null;
  const { at, session = null } = options;
  const key = keyOf(input, input.idempotencyKey);
  const oldest = new Date(at.getTime() - IDEMPOTENCY_HOURS * 3_600_000);
  const known = await database.idempotencyKeys
    .findOne({ _id: key, createdAt: { $gt: oldest } })
    .session(session)
    .lean();
  return known ? database.signals.findById(known.signalId).session(session).lean() : null;
}

const keyOf = (input: Pick<RequestSignalInput, "user">, key: string): string =>
  `${input.user._id}:${key}`;
