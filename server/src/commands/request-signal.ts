import { IDEMPOTENCY_HOURS } from "@shared/contract/constants.ts";
import type { SignalRequest } from "@shared/contract/signal.ts";
import type { Database } from "@shared/node/database.ts";
import { type Change, commitChange, userStream } from "@shared/node/event-log.ts";
import type { SignalRecord } from "@shared/node/models/signal.ts";
import type { UserRecord } from "@shared/node/models/user.ts";
import { newSignalId, queueSignal } from "@shared/node/signals/signal-transitions.ts";
import type { Types } from "mongoose";
import type { ServerDeps } from "../server-deps.ts";
import { assertKnownSymbol } from "./assert-known-symbol.ts";

/** A request for a signal; the same `idempotencyKey` of the same user gives the same signal for a day. */
export interface SignalOrder {
  user: Pick<UserRecord, "_id">;
  request: SignalRequest;
  idempotencyKey?: string;
}

/**
 * Accepts a request: stores the signal as queued and asks the workers for it.
 * @returns the signal, which an earlier request with the same key may have made
 * @throws AppError `invalid-input` when no market data provider knows the symbol
 */
export async function requestSignal(deps: ServerDeps, order: SignalOrder): Promise<SignalRecord> {
  await assertKnownSymbol(deps, order.request.symbol);
  const id = newSignalId();
  const signal = await storeOnce(deps, order, id);
  if (signal._id.equals(id)) await enqueue(deps, id.toString());
  return signal;
}

function storeOnce(deps: ServerDeps, order: SignalOrder, id: Types.ObjectId) {
  const { database, now } = deps;
  const userId = order.user._id;
  return commitChange(database, { serializeOn: userStream(userId), now }, async (change) => {
    const earlier = await findEarlier(database, change, order);
    if (earlier) return earlier;
    const signal = await queueSignal(database, change, { id, userId, request: order.request });
    if (order.idempotencyKey) {
      await database.idempotencyKeys.updateOne(
        { _id: keyOf(order, order.idempotencyKey) },
        { $set: { signalId: id, createdAt: change.at } },
        { session: change.session, upsert: true },
      );
    }
    return signal;
  });
}

async function findEarlier(
  database: Database,
  change: Change,
  order: SignalOrder,
): Promise<SignalRecord | null> {
  if (!order.idempotencyKey) return null;
  const { session, at } = change;
  const oldest = new Date(at.getTime() - IDEMPOTENCY_HOURS * 3_600_000);
  const known = await database.idempotencyKeys
    .findOne({ _id: keyOf(order, order.idempotencyKey), createdAt: { $gt: oldest } })
    .session(session)
    .lean();
  return known ? database.signals.findById(known.signalId).session(session).lean() : null;
}

const keyOf = (order: SignalOrder, key: string): string => `${order.user._id}:${key}`;

/** The signal is stored: if the queue does not answer now, the workers' sweep finds it. */
async function enqueue(deps: ServerDeps, signalId: string): Promise<void> {
  try {
    await deps.enqueueSignal(signalId);
  } catch (error) {
    deps.logger.warn({ err: error, signalId }, "not queued yet, left to the sweep");
  }
}
