import { MINUTE_MS } from "@shared/contract/constants.ts";
import { nextClose } from "@shared/domain/trading-hours.ts";
import { formatUtc } from "../fetch-candles.ts";
import { type EvidenceSource, isoTime } from "./evidence-source.ts";

const MINUTES_PER_HOUR = 60;

/** How long the market stays open. */
export const marketClose: EvidenceSource = {
  key: "market_close",
  title: "Market close",
  covers: () => true,
  async gather({ brief, series }) {
    const hours = series.market?.hours ?? "always";
    const closesAt = nextClose(hours, brief.lastCandleAt);
    const text =
      closesAt === null
        ? "Market close: this market never closes"
        : `Market close: in ${durationText(closesAt - brief.lastCandleAt)}, at ${formatUtc(closesAt)}`;
    return [
      { key: "market_close", text, known_at: isoTime(brief.lastCandleAt), source: "trading hours" },
    ];
  },
};

function durationText(durationMs: number): string {
  const minutes = Math.round(durationMs / MINUTE_MS);
  const hours = Math.floor(minutes / MINUTES_PER_HOUR);
  return `${hours} h ${minutes % MINUTES_PER_HOUR} min`;
}
