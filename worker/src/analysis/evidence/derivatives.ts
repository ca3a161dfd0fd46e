import { instrumentClass } from "@shared/contract/instruments.ts";
import { formatNumber } from "@shared/domain/format-price.ts";
import type { DerivativesValue } from "../../market-data/derivatives.ts";
import { formatUtc } from "../fetch-candles.ts";
import {
  type EvidenceDeps,
  type EvidenceMarket,
  type EvidenceSource,
  isoTime,
} from "./evidence-source.ts";

/** Demo candles are of another time than what exchanges say. */
export const coversLiveCoins = ({ brief, series }: EvidenceMarket): boolean =>
  instrumentClass(brief.symbol) === "crypto" && series.data === "live";

const requestOf = ({ brief }: EvidenceMarket, { abort }: EvidenceDeps) => ({
  symbol: brief.symbol,
  until: brief.lastCandleAt,
  abort,
});

const itemOf = (key: string, text: string, { knownAt, exchange }: DerivativesValue) => ({
  key,
  text: `${text}, published ${formatUtc(knownAt)} by ${exchange}`,
  known_at: isoTime(knownAt),
  source: exchange,
});

/** What holders of long positions in the perpetual future paid last to those of short ones. */
export const fundingRate: EvidenceSource = {
  key: "funding_rate",
  title: "Funding rate",
  covers: coversLiveCoins,
  async gather(_market, deps) {
    const rate = await deps.funding;
    if (!rate) return [];
    const text = `Funding rate of the perpetual future: ${formatNumber(rate.value, 4)}%`;
    return [itemOf("funding_rate", text, rate)];
  },
};

/** Size of all open positions in the perpetual future. */
export const openInterest: EvidenceSource = {
  key: "open_interest",
  title: "Open interest",
  covers: coversLiveCoins,
  async gather(market, deps) {
    const interest = await deps.derivatives?.openInterest(requestOf(market, deps));
    if (!interest) return [];
    const base = market.brief.symbol.split("/")[0] ?? "";
    const text = `Open interest of the perpetual future: ${formatNumber(interest.value, 0)} ${base}`;
    return [itemOf("open_interest", text, interest)];
  },
};
