import { ENOUGH_SIGNALS } from "@shared/contract/constants.ts";
import type { InstrumentClass } from "@shared/contract/instruments.ts";
import type { PerformancePeriod } from "@shared/contract/performance.ts";

export const performanceMessages = {
  title: "Performance",
  description:
    "The outcome of every trading signal: win rate, expectancy and drawdown with margins of error, compared with a random baseline.",
  lead: "Every BUY and SELL of all traders, resolved against the prices that followed. Nothing is excluded, and losses stay when a history is cleared.",
  promise: "Past performance is not indicative of future results.",
  loading: "Loading the record",
  failed: "The record could not be loaded.",
  tryAgain: "Try again",
  updated: (time: string) => `Updated ${time}`,
  emptyTitle: "No signals here yet",
  empty: "No signals match these filters yet.",
  toDemo: "View the demo record",
  clear: "Clear filters",
  demoTitle: "Demo record",
  demo: "These signals use recorded prices shifted to the present. They show how this page works and say nothing about a real market.",
  tooFewTitle: "Not enough signals",
  tooFew: (decided: number) =>
    `${decided} of at least ${ENOUGH_SIGNALS} decided signals. With fewer, the rates are too uncertain to show.`,
  tooClose:
    "The trades are too close together in time. A margin of error needs trades from at least four separate periods.",
} as const;

export const filterMessages = {
  record: "Record",
  live: "Live data",
  replay: "Demo data",
  period: "Period",
  market: "Market",
  allMarkets: "All markets",
  timeframe: "Timeframe",
  allTimeframes: "All timeframes",
  analyst: "Analyst",
  allAnalysts: "All analysts",
} as const;

export const periodLabels: Record<PerformancePeriod, string> = {
  "7d": "7 days",
  "30d": "30 days",
  "90d": "90 days",
  "365d": "1 year",
  all: "Whole record",
};

export const classLabels: Record<InstrumentClass, string> = {
  crypto: "All crypto",
  forex: "All forex",
  metal: "All metals",
  index: "All indices",
  oil: "All oil",
};

export const analystLabels: Record<string, string> = {
  openai: "AI model",
  rules: "Rule-based",
};

export const metricMessages = {
  heading: "Key metrics",
  winRate: "Win rate",
  winRateOf: (wins: string, decided: string) => `${wins} of ${decided} decided signals`,
  noEdge: "Random baseline",
  lift: "Edge over chance",
  liftUnit: "percentage points",
  pointsShort: "pp",
  expectancy: "Expectancy",
  perTrade: "R per trade",
  expectancyOf: (trades: string) => `Mean of ${trades} closed trades, after fees`,
  breakEven: "Break-even",
  profitFactor: "Profit factor",
  nothingLost: "Nothing lost",
  profitFactorOf: "Won per 1 R lost",
  drawdown: "Maximum drawdown",
  drawdownOf: "Largest peak-to-trough decline",
  total: "Total result",
  totalOf: "Sum of all closed trades",
  effective: "Independent trades",
  effectiveOf: (trades: string) =>
    `Equivalent of ${trades} closed trades, some open at the same time`,
  interval: (low: string, high: string) => `95% interval ${low} to ${high}`,
  tooFew: "Not enough signals",
} as const;

export const equityMessages = {
  heading: "Equity curve",
  lead: "Each closed trade adds its result in R, the distance from entry to stop.",
  summary: (from: string, to: string, end: string) =>
    `From ${from} to ${to} the signals added up to ${end}.`,
  table: "Curve as a table",
  time: "Until",
  result: "Result",
  none: "The curve starts with the first closed trade.",
} as const;

export const countMessages = {
  heading: "Outcomes",
  wins: { name: "Won", text: "Target touched first" },
  losses: { name: "Lost", text: "Stop touched first" },
  expired: { name: "Expired", text: "Closed at the hold limit" },
  not_filled: { name: "Not filled", text: "Price never reached the entry" },
  waits: { name: "WAIT", text: "Advice not to trade" },
  failed: { name: "Failed", text: "No data or no analysis" },
  pending: { name: "Open now", text: "Not resolved yet" },
} as const;

export const confidenceMessages = {
  heading: "Confidence calibration",
  lead: "If confidence is well calibrated, 70 of 100 signals with 70% confidence win, and the points lie on the diagonal. Below it, the analyst is overconfident.",
  diagram: "Stated confidence and observed win rate",
  stated: "Confidence",
  won: "Won",
  decided: "Decided",
  noEdge: "Baseline",
  lift: "Edge",
  perfect: "Perfectly calibrated",
  said: "As stated by the analyst",
  calibrated: "Calibrated",
  calibratedNote:
    "Calibrated: the confidence adjusted by earlier results of the same analyst version, as shown when the signal was made.",
  noCalibration: "Calibration starts after 300 decided signals of one analyst version.",
  measure: "Measure",
  brier: "Brier score",
  brierNote: "0 is perfect, 0.25 is a coin flip",
  ece: "Calibration error",
  eceNote: "Mean distance from the diagonal",
  signals: "Signals",
  unknown: "too few",
  none: "No decided signals yet.",
} as const;

export const methodMessages = {
  heading: "How this is measured",
  points: [
    "A signal is decided once it was filled and its target or stop was touched. The win rate covers only decided signals, with Wilson's 95% interval.",
    "Random baseline: on a price without drift, the target is reached before the stop with the probability stop distance / (stop distance + target distance). A near target wins often without any skill.",
    "Edge over chance is the win rate minus that baseline, in percentage points (pp). An expired trade counts as part of a win, by how far its exit was from stop to target. An edge whose 95% interval includes 0 is not statistically significant.",
    "Results in R include every trade that was filled and closed, also expired ones, after fees. WAITs, failed and unfilled signals have no result but are counted.",
    "Trades that are open at the same time depend on each other, within one market and across markets. All intervals account for this by comparing periods several times as long as a trade. The number of independent trades shows how much evidence remains.",
    "Signals from live data and from demo data are never combined.",
  ],
} as const;
