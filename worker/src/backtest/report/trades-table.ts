import type { Judgement } from "@shared/contract/judgement.ts";
import { type Html, html } from "@shared/node/html.ts";
import {
  formatCost,
  formatMeanR,
  formatPrice,
  formatTime,
  formatUsd,
  NO_FIGURE,
} from "./formats.ts";
import type { BacktestReport, ReportedTrade } from "./report-schema.ts";

const REASONS: Record<Judgement["reason"], string> = {
  target: "Won at its target",
  stop: "Lost at its stop",
  both: "Lost: stop and target in one candle",
  "hold-over": "Closed at the hold limit",
  "not-filled": "Not filled",
};

/** Every trade that the analyst advised, oldest first. */
export function tradesTable({ trades, options }: BacktestReport): Html {
  if (trades.length === 0) return html`<p>The analyst advised no trade.</p>`;
  return html`<div class="scroll" role="region" aria-label="Trades" tabindex="0"><table class="trades">
<thead><tr><th scope="col">Made (UTC)</th><th scope="col">Signal</th><th scope="col">Entry</th><th scope="col">Stop</th><th scope="col">Target</th><th scope="col">Confidence</th><th scope="col">Outcome</th><th scope="col">Ended (UTC)</th><th scope="col">Costs</th><th scope="col">Result</th><th scope="col">USD</th></tr></thead>
<tbody>${trades.map((trade) => tradeRow(trade, options.symbol))}</tbody>
</table></div>`;
}

function tradeRow(trade: ReportedTrade, symbol: string): Html {
  const { judgement, confidence, dollar_risk: risk, cost_r: cost } = trade;
  const price = (value: number) => formatPrice(symbol, value);
  const r = judgement?.r_multiple ?? null;
  const sign = signOf(r);
  return html`<tr><th scope="row">${formatTime(trade.at)}</th><td class="${trade.side.toLowerCase()}">${trade.side}</td><td>${price(trade.entry)}</td><td>${price(trade.stop_loss)}</td><td>${price(trade.take_profit)}</td><td>${confidence === null ? NO_FIGURE : `${Math.round(confidence)}%`}</td><td>${judgement ? REASONS[judgement.reason] : "Still open at the end"}</td><td>${judgement ? formatTime(judgement.resolved_at) : NO_FIGURE}</td><td>${cost === null ? NO_FIGURE : formatCost(cost)}</td><td class="${sign}">${r === null ? NO_FIGURE : formatMeanR(r)}</td><td class="${sign}">${r === null ? NO_FIGURE : formatUsd(r * risk)}</td></tr>
`;
}

function signOf(r: number | null): "up" | "down" | "even" {
  if (r === null || r === 0) return "even";
  return r > 0 ? "up" : "down";
}
