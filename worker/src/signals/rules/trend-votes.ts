import { formatAtTick } from "../price-scale.ts";
import { scoreOf, type Voter } from "./vote.ts";

const TREND_VALUE = { up: 1, down: -1, flat: 0 } as const;

/** Are price and the averages of 20, 50 and 200 candles stacked in one order? */
export const voteOnAverages: Voter = ({ price, scale, indicators }) => {
  const { ema20, ema50, ema200 } = indicators;
  if (ema20 === null) return null;
  const rungs = [
    { name: "Price", value: price },
    { name: "EMA 20", value: ema20 },
    ...(ema50 === null ? [] : [{ name: "EMA 50", value: ema50 }]),
    ...(ema200 === null ? [] : [{ name: "EMA 200", value: ema200 }]),
  ];
  const show = (value: number) => formatAtTick(value, scale);
  const steps = rungs.slice(1).map(({ name, value }, index) => {
    const side = Math.sign((rungs[index]?.value ?? value) - value);
    return { value: side, weight: 1, text: `${sideSymbol(side)} ${name} ${show(value)}` };
  });
  return {
    topic: "averages",
    value: scoreOf(steps),
    weight: 2,
    evidence: `Price ${show(price)} ${steps.map(({ text }) => text).join(" ")}.`,
  };
};

function sideSymbol(side: number): string {
  if (side > 0) return ">";
  return side < 0 ? "<" : "=";
}

/** Where does the next longer timeframe head? */
export const voteOnHigherTimeframe: Voter = ({ indicators }) => {
  if (!indicators.higherTimeframe) return null;
  const { timeframe, trend } = indicators.higherTimeframe;
  return {
    topic: "higher timeframe",
    value: TREND_VALUE[trend],
    weight: 1.5,
    evidence: `The ${timeframe} trend is ${trend}.`,
  };
};
