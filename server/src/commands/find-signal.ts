import type { SignalCandles } from "@shared/contract/candle.ts";
import { AppError } from "@shared/node/app-error.ts";
import type { SignalRecord } from "@shared/node/models/signal.ts";
import type { UserRecord } from "@shared/node/models/user.ts";
import { Types } from "mongoose";
import { z } from "zod";
import type { ServerDeps } from "../server-deps.ts";

const signalIdSchema = z
  .string()
  .regex(/^[0-9a-f]{24}$/)
  .transform((text) => new Types.ObjectId(text));

/** No signal has this id, or it is somebody else's. */
export const noSuchSignal = (): AppError => new AppError("not-found", "There is no such signal.");

/**
 * A user's own signal; without a user, anybody's.
 * @throws AppError `not-found` when there is none with this id, or it is somebody else's
 */
export async function findSignal(
  deps: Pick<ServerDeps, "database">,
  user: Pick<UserRecord, "_id"> | null,
  id: unknown,
): Promise<SignalRecord> {
  const parsed = signalIdSchema.safeParse(id);
  const signal = parsed.success
    ? await deps.database.signals
        .findOne({ _id: parsed.data, ...(user && { userId: user._id }) })
        .lean()
    : null;
  if (!signal) throw noSuchSignal();
  return signal;
}

/**
 * The candles that a user's own signal was made from; none while it is not finished or when it failed.
 * @throws AppError `not-found` as `findSignal`
 */
export async function readSignalCandles(
  deps: Pick<ServerDeps, "database">,
  user: Pick<UserRecord, "_id">,
  id: unknown,
): Promise<SignalCandles> {
  const { _id, analysisId, symbol, timeframe } = await findSignal(deps, user, id);
  const stored = await deps.database.analysisCandles.findById(analysisId).lean();
  return { signal_id: _id.toString(), symbol, timeframe, candles: stored?.candles ?? [] };
}
