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

type EventAdder = Pick<UnitOfWork, "addEvents">;

export function announceEntryLeft(
  { addEvents }: EventAdder,
  signals: readonly TradeSignal[],
  { price, at }: NonNullable<SignalRecord["entryLeft"]>,
): void {
  addEvents("signal:entry-left", recipientsOf(signals, { price, at: at.toISOString() }));
}

/** Adds the events of a fill, which a signal gets once and before its outcome. */
export function announceFill(
  { addEvents }: EventAdder,
  signals: readonly TradeSignal[],
  { price, at }: NonNullable<SignalRecord["filled"]>,
): void {
  addEvents("signal:filled", recipientsOf(signals, { price, filled_at: at.toISOString() }));
}

export function announceOutcome(
  { addEvents }: EventAdder,
  signals: readonly TradeSignal[],
  resolution: NonNullable<MarketAnalysisRecord["resolution"]>,
): void {
  const { outcome, resolved_at } = resolution;
  addEvents("signal:outcome", recipientsOf(signals, { outcome, resolved_at }));
}

const recipientsOf = <Data extends object>(signals: readonly TradeSignal[], data: Data) =>
  signals.map(({ _id, userId }) => ({
    stream: userStream(userId),
    data: { signal_id: _id.toString(), ...data },
  }));

/** Adds the events that new signals with `progressOf` the trade have missed. */
export function announceProgress(
  uow: EventAdder,
  signals: readonly TradeSignal[],
  trade: Pick<MarketAnalysisRecord, "entryLeft" | "filled" | "outcome" | "resolution">,
): void {
  const { entryLeft, filled, outcome, resolution } = trade;
  if (filled) announceFill(uow, signals, filled);
  if (entryLeft) announceEntryLeft(uow, signals, entryLeft);
  if (outcome && resolution) announceOutcome(uow, signals, resolution);
}
