import type { Judgement } from "@shared/contract/judgement.ts";
import type { TradeLevels } from "../../lib/trade-levels.ts";
import type { ChartMark } from "../../ui/candle-chart.tsx";
import { chartTexts as texts } from "./texts.ts";

const tones = { WIN: "buy", LOSS: "sell", EXPIRED: "ink-muted" } as const;

/** What happened to a signal, for the chart: when it was made, filled and closed. */
export function chartMarks(of: {
  createdAt: string;
  judgement: Judgement | null;
  levels: TradeLevels | null;
}): ChartMark[] {
  const { createdAt, judgement, levels } = of;
  const made: ChartMark = {
    time: Date.parse(createdAt),
    text: texts.made,
    tone: "accent",
    position: "aboveBar",
    shape: "circle",
  };
  if (!judgement || !levels) return [made];
  const isBuy = levels.takeProfit > levels.entry;
  return [made, ...fillMark(judgement, isBuy), ...exitMark(judgement, isBuy)];
}

function fillMark({ filled_at }: Judgement, isBuy: boolean): ChartMark[] {
  if (filled_at === null) return [];
  const look = isBuy
    ? ({ tone: "buy", position: "belowBar", shape: "arrowUp" } as const)
    : ({ tone: "sell", position: "aboveBar", shape: "arrowDown" } as const);
  return [{ ...look, time: Date.parse(filled_at), text: texts.fill }];
}

function exitMark({ exited_at, reason, outcome }: Judgement, isBuy: boolean): ChartMark[] {
  if (exited_at === null) return [];
  // The close of a candle is the first moment of the next one.
  const time = Date.parse(exited_at) - (reason === "hold-over" ? 1 : 0);
  const position = isBuy ? "aboveBar" : "belowBar";
  return [{ time, text: texts.exit, tone: tones[outcome], position, shape: "square" }];
}
