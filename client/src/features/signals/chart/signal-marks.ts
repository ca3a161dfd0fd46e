import type { SharedSignal } from "@shared/contract/signal-page.ts";
import type { TradeLevels } from "../levels.ts";
import type { ChartMark, ChartTrade } from "./draw-chart.ts";

export interface MarkedSignal extends Pick<SharedSignal, "created_at" | "judgement"> {
  levels: TradeLevels | null;
}

export function chartTrade({ created_at, judgement, levels }: MarkedSignal): ChartTrade | null {
  if (!levels) return null;
  const endedAt = judgement && (judgement.exited_at ?? judgement.resolved_at);
  const until = endedAt ? Date.parse(endedAt) : null;
  return { levels, from: Date.parse(created_at), until };
}

const tones = { WIN: "buy", LOSS: "sell", EXPIRED: "ink-muted" } as const;

/** The signal, its fill and its exit. */
export function chartMarks({ created_at, judgement, levels }: MarkedSignal): ChartMark[] {
  const marks: ChartMark[] = [
    {
      time: Date.parse(created_at),
      text: "Signal",
      tone: "accent",
      position: "aboveBar",
      shape: "circle",
    },
  ];
  if (!judgement || !levels) return marks;
  const { filled_at, exited_at, reason, outcome } = judgement;
  const isBuy = levels.takeProfit > levels.entry;
  if (filled_at !== null) {
    const look = isBuy
      ? ({ tone: "buy", position: "belowBar", shape: "arrowUp" } as const)
      : ({ tone: "sell", position: "aboveBar", shape: "arrowDown" } as const);
    marks.push({ ...look, time: Date.parse(filled_at), text: "Fill" });
  }
  if (exited_at !== null) {
    // The close of a candle is the first moment of the next one.
    const time = Date.parse(exited_at) - (reason === "hold-over" ? 1 : 0);
    const position = isBuy ? "aboveBar" : "belowBar";
    marks.push({ time, text: "Exit", tone: tones[outcome], position, shape: "square" });
  }
  return marks;
}
