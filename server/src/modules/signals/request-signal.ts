import { IDEMPOTENCY_HOURS } from "@shared/contract/constants.ts";
import type { SignalRequest } from "@shared/contract/signal.ts";
import type { Database } from "@shared/database/database.ts";
import type { SignalRecord } from "@shared/database/models/signal.ts";
import type { UserRecord } from "@shared/database/models/user.ts";
import { ANALYSIS_SETUP_ID } from "@shared/database/models/worker-reports.ts";
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
import { cachedRead } from "../../http/cached-read.ts";
import type { ServerDeps } from "../../server-deps.ts";
import { assertKnownSymbol } from "../markets/known-symbols.ts";
import { assertQueueCapacity, assertUserLimit } from "./signal-limits.ts";

/** A request for a signal; the same `idempotencyKey` of the same user gives the same signal for a day. */
export interface RequestSignalInput {
  user: Pick<UserRecord, "_id">;
  request: SignalRequest;
  idempotencyKey?: string;
  /** Of the HTTP request. */
  requestId?: string;
}

/** What belongs to a signal beside its request. */
export interface ImageAttachment {
  chartImageId: Types.ObjectId;
  /** Streams that `store` writes to. */
  streams: readonly string[];
  /** Writes the rest in the signal's own transaction; what it throws calls the whole off. */
  store: (uow: UnitOfWork, signalId: Types.ObjectId) => Promise<void>;
}

/**
 * Accepts a request: stores the signal, which joins the market's analysis of the last closed candle. The workers are
 * asked for that analysis unless it is made or under way.
 * @returns the signal, which an earlier request with the same key may have made
 * @throws AppError `rate-limited` while the user has too many unfinished, `unavailable` while all together have,
 *   `invalid-input` when no market data provider knows the symbol
 */
export async function requestSignal(
  deps: ServerDeps,
  order: RequestSignalInput,
): Promise<SignalRecord> {
  await assertKnownSymbol(deps, order.request.symbol);
  return createSignal(deps, order);
}

/** Stores a signal with its extras; nothing of it if the key is known already. */
export async function createSignal(
  deps: ServerDeps,
  order: RequestSignalInput,
  extras?: ImageAttachment,
): Promise<SignalRecord> {
  const id = newSignalId();
  if (!order.idempotencyKey) return insertOnce(deps, order, { id, extras });
  // A request with the same key at the same time has to find the signal of this one.
  return withKeys(deps.database, [keyOf(order, order.idempotencyKey)], () =>
    insertOnce(deps, order, { id, extras }),
  );
}

/** A request in the second after workers have started with another setup may still join an analysis made before. */
const readAnalysisSetup = cachedRead(1_000, ({ database }: Pick<ServerDeps, "database" | "now">) =>
  database.analysisSetup.findById(ANALYSIS_SETUP_ID).lean().exec(),
);

async function insertOnce(
  deps: ServerDeps,
  order: RequestSignalInput,
  { id, extras }: { id: Types.ObjectId; extras: ImageAttachment | undefined },
): Promise<SignalRecord> {
  const { database, now } = deps;
  const { request, requestId } = order;
  const userId = order.user._id;
  const lockKeys = [userStream(userId), ...(extras?.streams ?? [])];
  const options: CommitOptions = { lockKeys, groupCommit: extras === undefined, requestId, now };
  const write = (uow: UnitOfWork, joined?: JoinedAnalysis) =>
    writeSignal(deps, uow, { order, id, extras, joined });
  if (extras) return commit(database, options, (uow) => write(uow));
  const candleClosedAt = lastCandleClose(request.timeframe, now());
  const key = analysisKey({ ...request, candleClosedAt }, await readAnalysisSetup(deps));
  const batch = {
    write: joiningAnalyses,
    input: (at: Date) => ({ database, userId, request, requestId, key, candleClosedAt, at }),
  };
  return commitBatched(database, { ...options, batch }, write);
}

/** Writes a new signal, unless an earlier request with the same key has made one. */
async function writeSignal(
  deps: ServerDeps,
  uow: UnitOfWork,
  input: {
    order: RequestSignalInput;
    id: Types.ObjectId;
    extras: ImageAttachment | undefined;
    joined: JoinedAnalysis | undefined;
  },
): Promise<SignalRecord> {
  const { database } = deps;
  const { order, id, extras, joined } = input;
  const { request, requestId, idempotencyKey } = order;
  const userId = order.user._id;
  const earlier = await findByIdempotencyKey(database, order, uow);
  if (earlier) {
    // The analysis is stored already, and others may join it.
    if (joined?.isNew) {
      const job = newAnalysisJob(
        { ...joined.analysis, userId },
        { at: uow.at, unfinishedSignals: 0 },
      );
      uow.deferInsert(database.jobs.collection, job);
    }
    return earlier;
  }
  if (!joined || joined.isNew) await assertQueueCapacity(deps);
  const signal = await queueSignal(database, uow, {
    ...{ id, userId, request, requestId },
    ...(extras && { chartImageId: extras.chartImageId }),
    ...(joined && { joined }),
    assertUserLimit: (unfinishedSignals) => assertUserLimit(deps, unfinishedSignals),
  });
  await extras?.store(uow, id);
  if (idempotencyKey) {
    await database.idempotencyKeys.updateOne(
      { _id: keyOf(order, idempotencyKey) },
      { $set: { signalId: id, createdAt: uow.at } },
      { session: uow.session, upsert: true },
    );
  }
  return signal;
}

/** The signal that an earlier request with the same key has made, if there is one. */
export async function findByIdempotencyKey(
  database: Database,
  order: Pick<RequestSignalInput, "user" | "idempotencyKey">,
  moment: { at: Date; session?: ClientSession },
): Promise<SignalRecord | null> {
  if (!order.idempotencyKey) return null;
  const { at, session = null } = moment;
  const key = keyOf(order, order.idempotencyKey);
  const oldest = new Date(at.getTime() - IDEMPOTENCY_HOURS * 3_600_000);
  const known = await database.idempotencyKeys
    .findOne({ _id: key, createdAt: { $gt: oldest } })
    .session(session)
    .lean();
  return known ? database.signals.findById(known.signalId).session(session).lean() : null;
}

const keyOf = (order: Pick<RequestSignalInput, "user">, key: string): string =>
  `${order.user._id}:${key}`;
