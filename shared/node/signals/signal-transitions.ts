import type { Candle } from "@shared/contract/candle.ts";
import { IMAGE_ANALYSIS_CREDITS } from "@shared/contract/constants.ts";
import type { Analysis, SignalRequest } from "@shared/contract/signal.ts";
import { Types } from "mongoose";
import { changeCredits } from "../credits.ts";
import type { Database } from "../database.ts";
import { type Change, type ChangeOptions, commitChange } from "../event-log.ts";
import { knownHeads } from "../known-heads.ts";
import type { SignalRecord } from "../models/signal.ts";
import type { SignalUsageRecord } from "../models/signal-usage.ts";
import { ADMINS_STREAM, userStream } from "../streams.ts";
import { markingFinished, type SignalClaim } from "./mark-finished.ts";
import { markingStarted, type SignalOrigin } from "./mark-started.ts";
import { presentSignal, presentSignalRef } from "./present-signal.ts";

/**
 * Adds a signal in the state `queued`, under the caller's transaction.
 * @param id made by the caller, so that a repeated transaction does not make a second signal
 */
export function queueSignal(
  database: Database,
  change: Change,
  input: {
    id: Types.ObjectId;
    userId: Types.ObjectId;
    request: SignalRequest;
    chartImageId?: Types.ObjectId;
    requestId?: string | undefined;
  },
): SignalRecord {
  const { id, userId, request, chartImageId, requestId } = input;
  const signal: SignalRecord = {
    _id: id,
    userId,
    symbol: request.symbol,
    timeframe: request.timeframe,
    limit: request.limit,
    amount: request.amount,
    riskPercent: request.risk_percent,
    leverage: request.leverage,
    ...(chartImageId && { chartImageId }),
    ...(requestId && { requestId }),
    status: "queued",
    revision: 0,
    createdAt: change.at,
    updatedAt: change.at,
  };
  change.insert(database.signals.collection, signal);
  change.tell(userStream(userId), "signal:queued", presentSignalRef(signal));
  return signal;
}

/**
 * Claims a signal for one run: `queued → running`, or `running → running` when the worker that ran it is gone.
 * The new revision is this run's ticket: whoever holds an older one can no longer end the signal.
 * @returns the claimed signal, or null when it is finished or gone
 */
export function startSignal(
  database: Database,
  origin: SignalOrigin,
): Promise<SignalRecord | null> {
  const { userId, requestId, streamSeq } = origin;
  const stream = userStream(userId);
  if (streamSeq !== undefined) {
    knownHeads(database).learn(stream, { seq: streamSeq, unfinished: 1 });
  }
  const options: ChangeOptions = {
    ...{ serializeOn: stream, isPooled: true, requestId },
    join: (session, at) => markingStarted.add(session, origin, { database, origin, at }),
  };
  return commitChange(database, options, ({ session, tell }) => {
    const signal = markingStarted.outputFor(session, origin);
    if (signal) tell(stream, "signal:started", presentSignalRef(signal));
    return signal;
  });
}

/** How a run ended. */
export interface SignalResult {
  status: "completed" | "failed";
  analysis: Analysis;
  receipt?: unknown;
  candles?: Candle[];
  /** Tokens and cost, where an analyst was asked. */
  usage?: Omit<SignalUsageRecord, "_id" | "at"> | undefined;
}

/**
 * Ends the run that `claim` started: `running → completed | failed`, with the result and its event. If it failed, or
 * nobody was asked for a judgement, the credit that was taken for its chart picture is given back.
 * @returns false when another run has taken the signal over meanwhile; nothing is changed then
 */
export async function finishSignal(
  database: Database,
  claim: SignalClaim,
  result: SignalResult,
): Promise<boolean> {
  const { status, analysis, receipt, candles, usage } = result;
  const stream = userStream(claim.userId);
  const isAnalysed = status === "completed" && analysis.source.analyst !== "none";
  const paysBack = !isAnalysed && claim.chartImageId !== undefined;
  const serializeOn = paysBack ? [stream, ADMINS_STREAM] : stream;
  const options: ChangeOptions = {
    ...{ serializeOn, isPooled: !paysBack, requestId: claim.requestId },
    join(session, at) {
      const ending = { status, analysis, receipt, ...judging(result, at), finishedAt: at };
      const finish = { database, claim, ending: { ...ending, updatedAt: at } };
      return markingFinished.add(session, claim, finish);
    },
  };
  return commitChange(database, options, async (change) => {
    const { session, at, tell, insert } = change;
    const signal = markingFinished.outputFor(session, claim);
    if (!signal) return false;
    if (candles) insert(database.signalCandles.collection, { _id: claim._id, candles });
    if (usage) insert(database.signalUsages.collection, { _id: claim._id, at, ...usage });
    const event = status === "completed" ? "signal:completed" : "signal:failed";
    tell(stream, event, presentSignal(signal));
    if (paysBack) await giveCreditBack(database, change, signal);
    return true;
  });
}

/** A BUY or a SELL waits for the market to judge it from now on. */
function judging({ status, analysis }: SignalResult, at: Date): Pick<SignalRecord, "judgeAt"> {
  const isTrade = status === "completed" && analysis.final_signal !== "WAIT";
  return isTrade ? { judgeAt: at } : {};
}

async function giveCreditBack(
  database: Database,
  change: Change,
  { _id, userId, symbol }: SignalRecord,
): Promise<void> {
  await changeCredits(database, change, {
    userId,
    kind: "refund",
    amount: IMAGE_ANALYSIS_CREDITS,
    by: "system",
    why: `No analysis came of a chart image of ${symbol}.`,
    signalId: _id,
  });
}

/** A new id for a signal; ids grow with time, so that they order the history. */
export const newSignalId = (): Types.ObjectId => new Types.ObjectId();
