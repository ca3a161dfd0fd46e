import type { EvidenceItem } from "@shared/contract/evidence.ts";
import type { TradingCosts } from "@shared/contract/resolution.ts";
import type { KnownEvents } from "../../economic-events/economic-calendar.ts";
import type { DerivativesData, FundingRate } from "../../market-data/derivatives.ts";
import type { CandleSeries, MarketData } from "../../market-data/market-data.ts";
import type { MarketBrief } from "../market-brief.ts";

/** The market that is analysed. Nothing that became known after `brief.lastCandleAt` is evidence. */
export interface EvidenceMarket {
  brief: MarketBrief;
  series: CandleSeries;
  costs: TradingCosts;
}

export interface EvidenceDeps {
  marketData: MarketData;
  derivatives?: DerivativesData | undefined;
  /** Null if it is not available. */
  funding: Promise<FundingRate | null>;
  /** Null if the calendar is not available. */
  events: Promise<KnownEvents | null>;
  abort: AbortSignal;
}

/** One kind of evidence beside the candles of the timeframe. */
export interface EvidenceSource {
  /** Of its item, or the start of the keys of its items. */
  key: string;
  /** What it is called where it is not available. */
  title: string;
  covers(market: EvidenceMarket): boolean;
  /** Rejects, or resolves with nothing, if it is not available. */
  gather(market: EvidenceMarket, deps: EvidenceDeps): Promise<EvidenceItem[]>;
}

export const isoTime = (time: number): string => new Date(time).toISOString();
