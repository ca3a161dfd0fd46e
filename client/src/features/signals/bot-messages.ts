import { MESSAGES } from "@shared/contract/messages.ts";

export const botMessages = {
  formTitle: "Signal settings",
  results: "Signal",
  symbol: "Symbol",
  noSuggestion: "Not in the list. It is sent as you typed it.",
  timeframe: "Timeframe",
  amount: "Amount (USD)",
  risk: "Risk (%)",
  leverage: "Leverage",
  increase: "Increase",
  decrease: "Decrease",
  getSignal: "Get Signal",
  analyzing: "Analyzing...",
  unknownError: "Unknown error",
  demoTitle: "Demo mode",
  demoReplay: "Demo data: recorded candles shifted to the present, not live prices.",
  demoRules: "Rule-based analysis: fixed rules judge the market, no AI model.",
  imageLost:
    "The page was reloaded before the server answered, and the chart image is gone. If the request had arrived, its signal is in your history. Otherwise attach the image and ask again.",
  emptyTitle: "No signal yet",
  empty:
    "Your signal appears here with its levels, position size, chart and the reasons behind it.",
  refusedTitle: "The signal was not requested",
  lateTitle: MESSAGES.requestTimeout,
  late: "The analysis goes on. Its result appears here, and in your history, as soon as it is ready.",
  recent: "Latest in this tab",
  recentPending: "Pending",
  stages: {
    sending: "Sending the request",
    queued: "Waiting in the queue",
    running: "Fetching candles and analysing",
    finished: "Signal ready",
  },
  elapsed: "Elapsed",
} as const;

export const imageMessages = {
  label: "Chart image (optional)",
  noCredits: MESSAGES.noCredits,
  toPricing: "See plans and pricing",
  credits: (credits: number, cost: number) =>
    `${credits} image ${credits === 1 ? "credit" : "credits"} left. An analysis with an image uses ${cost}.`,
} as const;

export const adminToolMessages = {
  title: "Admin Tools",
  lead: "Frees the space of chart images that are no longer needed.",
  cleanup: "Cleanup Images",
  cleanupTitle: "Clean up chart images?",
  cleanupLoss:
    "Chart images that are older than 30 days or belong to no signal are deleted. This cannot be undone.",
  failed: (reason: string) => `Failed to clean up images. Error: ${reason}`,
} as const;

export const resultMessages = {
  entry: "Entry",
  stopLoss: "Stop loss",
  takeProfit: "Take profit",
  fromPrice: "from last price",
  rewardToRisk: "Reward to risk (R:R)",
  confidence: "Confidence",
  calibrated: (confidence: string) => `Track record says ${confidence}`,
  calibratedHint: "How often signals of this confidence have won so far, by the judged record.",
  sizing: "Position",
  units: "Position size",
  dollarRisk: "Dollar risk",
  margin: "Required margin",
  rationale: "Rationale",
  evidence: "Key evidence",
  condition: "Market condition",
  watch: "What to watch for",
  hold: "Suggested hold",
  duration: "Expected duration",
  chartMissing: "The candles of this signal cannot be shown right now.",
  chartCredit: "Chart by TradingView",
  candles: (facts: {
    symbol: string;
    timeframe: string;
    count: number;
    from: string;
    to: string;
    low: string;
    high: string;
    close: string;
  }) =>
    `${facts.symbol}, ${facts.count} candles of ${facts.timeframe}, ${facts.from} to ${facts.to}. Low ${facts.low}, high ${facts.high}, last close ${facts.close}.`,
  drawn: (levels: { entry: string; stopLoss: string; takeProfit: string }) =>
    ` Lines: entry ${levels.entry}, stop loss ${levels.stopLoss}, take profit ${levels.takeProfit}.`,
  warnings: "Please note",
} as const;

export const chartMessages = {
  liveChartOf: (symbol: string, timeframe: string) => `Live chart of ${symbol}, ${timeframe}`,
  showLevels: "Show the signal's levels",
  showLive: "Show the live chart",
} as const;

export const validityMessages = {
  validUntil: "Valid until",
  left: (duration: string) => `${duration} left`,
  expired: "Expired",
  expiredAt: "The entry was valid until",
} as const;

export const notificationMessages = {
  allow: "Notify me of signals",
  on: "Notifications on",
  off: "Notifications off",
} as const;

export const sourceMessages = {
  source: "Source",
  data: { live: "Live data", replay: "Recorded data" },
  analyst: { openai: "AI model", rules: "Rules" },
  lastCandle: "Last candle",
  analysed: "Analysed",
  price: "Last price",
  delay: (duration: string) => `Ready ${duration} after its close`,
} as const;

export const inputErrors: Record<string, string> = {
  amount: "Enter an amount above 0.",
  risk_percent: "Enter a risk above 0 and up to 100 percent.",
  leverage: "Enter a leverage from 1 to 125.",
};

export const announcement = {
  analyzing: "Analysing the market.",
  result: ({ signal, name, confidence }: { signal: string; name: string; confidence: string }) =>
    `Signal ready: ${signal} ${name}, ${confidence}.`,
} as const;
