import { ENOUGH_SIGNALS } from "@shared/contract/constants.ts";
import type { InstrumentClass } from "@shared/contract/instruments.ts";
import type { PerformancePeriod } from "@shared/contract/performance.ts";

export const performanceMessages = {
  title: "Performance",
  description:
    "How every trading signal turned out: win rate, expectancy and drawdown with their margins of error, beside what chance alone would give.",
  lead: "Every BUY and SELL of all traders, judged by the prices that followed. Nothing is picked, and losers stay in when a history is cleared.",
  promise:
    "Past results promise nothing. They say what these signals would have done, not what the next ones will do.",
  loading: "Loading the record",
  failed: "The record could not be loaded.",
  tryAgain: "Try again",
  updated: (time: string) => `Measured ${time}`,
  emptyTitle: "No signals here yet",
  empty: "Nothing that fits these filters has been recorded so far.",
  toDemo: "Look at the demo record",
  clear: "Clear filters",
  demoTitle: "Demo record",
  demo: "These signals were made from recorded prices that were moved to the present. They show how the page works and say nothing of a real market.",
  tooFewTitle: "Not enough signals",
  tooFew: (decided: number) =>
    `${decided} of at least ${ENOUGH_SIGNALS} decided signals. With fewer, chance moves every rate too far to be shown.`,
  tooClose:
    "The trades lie too close together in time. A margin of error needs trades from at least four separate periods.",
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
  heading: "Headline figures",
  winRate: "Win rate",
  winRateOf: (wins: string, decided: string) => `${wins} of ${decided} decided signals`,
  noEdge: "By chance alone",
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
  drawdownOf: "Deepest fall from a high",
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
  none: "The curve begins with the first closed trade.",
} as const;

export const countMessages = {
  heading: "What became of every signal",
  wins: { name: "Won", text: "Target touched first" },
  losses: { name: "Lost", text: "Stop touched first" },
  expired: { name: "Expired", text: "Closed when its time was over" },
  not_filled: { name: "Not filled", text: "Price never came to the entry" },
  waits: { name: "WAIT", text: "Advice not to trade" },
  failed: { name: "Failed", text: "No data or no analysis" },
  pending: { name: "Open now", text: "Not judged yet" },
} as const;

export const confidenceMessages = {
  heading: "Can the confidence be believed?",
  lead: "If it can, 70% confidence wins in 70 of 100 signals: points lie on the diagonal. Below it, the analyst is too sure.",
  diagram: "Confidence and how often it came true",
  stated: "Confidence",
  won: "Won",
  decided: "Decided",
  noEdge: "By chance",
  lift: "Edge",
  perfect: "As stated",
  said: "As said by the analyst",
  calibrated: "By record",
  calibratedNote:
    "By record: the confidence corrected by the earlier results of the same analyst, as it was shown when the signal was made.",
  noCalibration:
    "The correction by record begins after 300 decided signals of one analyst version.",
  measure: "Measure",
  brier: "Brier score",
  brierNote: "0 is perfect, 0.25 is a coin",
  ece: "Calibration error",
  eceNote: "Mean distance from the diagonal",
  signals: "Signals",
  unknown: "too few",
  none: "Nothing has been decided yet.",
} as const;

export const methodMessages = {
  heading: "How this is measured",
  points: [
    "Decided means filled, and then target or stop was touched. The win rate is taken over these only, with Wilson's 95% interval.",
    "By chance alone: on a price without any drift, the target comes before the stop with the probability stop distance / (stop distance + target distance). A near target wins often without any skill.",
    "Edge over chance is the win rate less that, in percentage points (pp). An expired trade counts as part of a win: by how far its exit was on the way from stop to target. Where the 95% interval includes 0, an edge is not shown.",
    "Results in R count every trade that was filled and closed, expired ones too, after fees. WAITs, failed and unfilled signals have no result; they are counted in the open.",
    "Trades that are open at the same time depend on each other, in one market and across markets. All intervals allow for that: they compare periods several times as long as a trade, not single trades. The number of independent trades says how much evidence is left.",
    "Signals made from live and from demo data are never added up.",
  ],
} as const;
