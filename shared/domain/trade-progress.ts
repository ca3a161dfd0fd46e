import type { UnitOfWork } from "@shared/outbox/commit.ts";
import { userStream } from "@shared/outbox/streams.ts";
import type { MarketAnalysisRecord } from "../database/models/market-analysis.ts";
import type { SignalRecord } from "../database/models/signal.ts";

/** How far the trade of an analysis has come, for a signal that joins it later. */
export function progressOf({
  entryLeft,
  filled,
  outcome,
}: Pick<MarketAnalysisRecord, "entryLeft" | "filled" | "outcome">): Partial<SignalRecord> {
  return {
    ...(entryLeft && { entryLeft }),
    ...(filled && { filled }),
    ...(outcome && { outcome }),
  };
}

type TradeSignal = Pick<SignalRecord, "_id" | "userId">;

/** Adds the event of a fill, which a signal gets once and before its outcome. */
export function announceFill(
  { addEvent }: Pick<UnitOfWork, "addEvent">,
  { _id, userId }: TradeSignal,
  { price, at }: NonNullable<SignalRecord["filled"]>,
): void {
  const data = { signal_id: _id.toString(), price, filled_at: at.toISOString() };
  addEvent(userStream(userId), "signal:filled", data);
}

export function announceOutcome(
  { addEvent }: Pick<UnitOfWork, "addEvent">,
  { _id, userId }: TradeSignal,
  {
    outcome,
    resolved_at,
  }: Pick<NonNullable<MarketAnalysisRecord["resolution"]>, "outcome" | "resolved_at">,
): void {
  addEvent(userStream(userId), "signal:outcome", {
    ...{ signal_id: _id.toString(), outcome, resolved_at },
  });
}

/** Adds the events that a new signal has missed. */
export function announceProgress(
  uow: Pick<UnitOfWork, "addEvent">,
  signal: Pick<SignalRecord, "_id" | "userId" | "filled" | "outcome">,
  { resolution }: Pick<MarketAnalysisRecord, "resolution">,
): void {
  if (signal.filled) announceFill(uow, signal, signal.filled);
  if (signal.outcome && resolution) announceOutcome(uow, signal, resolution);
}
