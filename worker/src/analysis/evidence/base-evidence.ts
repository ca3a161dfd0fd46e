import type { EvidenceItem } from "@shared/contract/evidence.ts";
import { costsText, marketTexts } from "../market-text.ts";
import { type EvidenceMarket, isoTime } from "./evidence-source.ts";

/** Keys of what every analysis is given. */
export const BASE_EVIDENCE = ["market", "candles", "trading_costs"] as const;

/** What every analysis is given. The candles themselves are stored beside it. */
export function baseEvidence({ brief, series, costs }: EvidenceMarket): EvidenceItem[] {
  const { market, candles } = marketTexts(brief);
  const known_at = isoTime(brief.lastCandleAt);
  const { provider } = series;
  return [
    { key: "market", text: market, known_at, source: provider },
    { key: "candles", text: candles, known_at, source: provider },
    { key: "trading_costs", text: costsText(brief, costs), known_at, source: "settings" },
  ];
}
