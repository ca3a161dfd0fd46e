export const homeTexts = {
  title: "AI-Powered Trading Signals",
  subtitle:
    "Real-time buy, sell or wait signals for crypto, metals, forex and indices. Each one comes with an entry, a stop, a target and the reasons behind them.",
  getStarted: "Get Started",
  example: "Example signal",
  exampleEntry: "Entry",
  exampleStop: "Stop",
  exampleTarget: "Target",
  toPerformance: "See how all signals turned out",
  whyTitle: "Why Choose Our Bot?",
  tickerTitle: "Market prices",
  overviewTitle: "Market Overview",
  cryptoTitle: "Cryptocurrency Markets",
  crypto: "Crypto",
  forex: "Forex",
  indices: "Indices",
  commodities: "Metals and oil",
  metals: "Metals",
  oil: "Oil",
  symbol: "Symbol",
  price: "Price",
  change: "24h change",
  high: "24h high",
  low: "24h low",
  lastDay: "Last 24 hours",
  demo: "Demo data",
  demoPrices: "Demo data: recorded prices moved to the present.",
  livePrices: "Prices at the close of the last hour",
  pricesOf: (title: string) => `Prices: ${title}`,
  noPrices: "Prices will appear here in a moment.",
  pricesFailed: "Market prices are not available at the moment.",
  tryAgain: "Try again",
} as const;

export const homeReasons = {
  analysis: {
    title: "AI-Driven Analysis",
    text: "Machine learning reads price action and indicators on closed candles, and explains what it sees in plain words.",
  },
  realTime: {
    title: "Real-Time Signals",
    text: "Ask for a market and a timeframe. The signal is pushed to your screen the moment it is ready, sized to the risk you set.",
  },
  history: {
    title: "Comprehensive History",
    text: "Every signal is kept and later judged by the market: win, loss or expired. Nothing is left out.",
  },
} as const;
