import { IDEMPOTENCY_HOURS } from "@shared/contract/constants.ts";
import type { SignalRequest } from "@shared/contract/signal.ts";
import { AppError } from "@shared/node/app-error.ts";
import type { Database } from "@shared/node/database.ts";
import { type Change, type ChangeOptions, commitChange } from "@shared/node/event-log.ts";
import type { SignalRecord } from "@shared/node/models/signal.ts";
import type { UserRecord } from "@shared/node/models/user.ts";
import { addSignalJob } from "@shared/node/queue/add-signal-job.ts";
import { recountUnfinished } from "@shared/node/signals/recount-unfinished.ts";
import { newSignalId, queueSignal } from "@shared/node/signals/signal-transitions.ts";
import { userStream } from "@shared/node/streams.ts";
import { TransactionNotes } from "@shared/node/transaction-notes.ts";
import type { ClientSession, Types } from "mongoose";
import type { ServerDeps } from "../server-deps.ts";
import { assertKnownSymbol } from "./assert-known-symbol.ts";
import { assertQueueHasRoom, assertUserHasRoom } from "./assert-room.ts";

/** A request for a signal; the same `idempotencyKey` of the same user gives the same signal for a day. */
export interface SignalOrder {
  user: Pick<UserRecord, "_id">;
  request: SignalRequest;
  idempotencyKey?: string;
  /** Of the HTTP request. */
  requestId?: string;
}

/** What belongs to a signal beside its request. */
export interface SignalExtras {
  chartImageId: Types.ObjectId;
  /** Streams that `store` writes to. */
  streams: readonly string[];
  /** Writes the rest in the signal's own transaction; what it throws calls the whole off. */
  store: (change: Change, signalId: Types.ObjectId) => Promise<void>;
}

/**
 * Accepts a request: stores the signal as queued and asks the workers for it.
 * @returns the signal, which an earlier request with the same key may have made
 * @throws AppError `rate-limited` while the user has too many unfinished, `unavailable` while all together have,
 *   `invalid-input` when no market data provider knows the symbol
 */
export async function requestSignal(deps: ServerDeps, order: SignalOrder): Promise<SignalRecord> {
  await assertKnownSymbol(deps, order.request.symbol);
  return acceptSignal(deps, order);
}

/** Stores a signal with its extras and its job for the workers; nothing of it if the key is known already. */
export async function acceptSignal(
  deps: ServerDeps,
  order: SignalOrder,
  extras?: SignalExtras,
): Promise<SignalRecord> {
  await assertQueueHasRoom(deps);
  const addition = { id: newSignalId(), extras };
  try {
    return await storeOnce(deps, order, addition);
  } catch (error) {
    const wasMiscounted =
      isRateLimited(error) && (await recountUnfinished(deps.database, order.user._id));
    if (!wasMiscounted) throw error;
    return storeOnce(deps, order, addition);
  }
}

const isRateLimited = (error: unknown): boolean =>
  error instanceof AppError && error.code === "rate-limited";

/** Signals that a transaction adds, by the idempotency key of their request. */
const storedByKey = new TransactionNotes<SignalRecord>();

function storeOnce(
  deps: ServerDeps,
  order: SignalOrder,
  { id, extras }: { id: Types.ObjectId; extras: SignalExtras | undefined },
): Promise<SignalRecord> {
  const { database, now } = deps;
  const userId = order.user._id;
  const { requestId } = order;
  const serializeOn = [userStream(userId), ...(extras?.streams ?? [])];
  const options: ChangeOptions = { serializeOn, isPooled: extras === undefined, requestId, now };
  return commitChange(database, options, async (change) => {
    const earlier = await findEarlierSignal(database, order, change);
    if (earlier) return earlier;
    const signal = queueSignal(database, change, {
      id,
      userId,
      request: order.request,
      requestId,
      ...(extras && { chartImageId: extras.chartImageId }),
    });
    await extras?.store(change, id);
    const assertRoom = (ahead: number) => assertUserHasRoom(deps, ahead);
    await addSignalJob(database, change, { signal, assertRoom });
    if (order.idempotencyKey) {
      const key = keyOf(order, order.idempotencyKey);
      storedByKey.set(change.session, key, signal);
      await database.idempotencyKeys.updateOne(
        { _id: key },
        { $set: { signalId: id, createdAt: change.at } },
        { session: change.session, upsert: true },
      );
    }
    return signal;
  });
}

/** The signal that an earlier request with the same key has made, if there is one. */
export async function findEarlierSignal(
  database: Database,
  order: Pick<SignalOrder, "user" | "idempotencyKey">,
  moment: { at: Date; session?: ClientSession },
): Promise<SignalRecord | null> {
  if (!order.idempotencyKey) return null;
  const { at, session = null } = moment;
  const key = keyOf(order, order.idempotencyKey);
  const stored = session && storedByKey.get(session, key);
  if (stored) return stored;
  const oldest = new Date(at.getTime() - IDEMPOTENCY_HOURS * 3_600_000);
  const known = await database.idempotencyKeys
    .findOne({ _id: key, createdAt: { $gt: oldest } })
    .session(session)
    .lean();
  return known ? database.signals.findById(known.signalId).session(session).lean() : null;
}

const keyOf = (order: Pick<SignalOrder, "user">, key: string): string => `${order.user._id}:${key}`;
