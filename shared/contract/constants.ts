/** Business constants of the product; every part reads them from here. */

/** Candle lengths a signal can be asked for, shortest first. */
export const TIMEFRAMES = ["1m", "5m", "15m", "30m", "1h", "4h", "1d"] as const;

/** Suggestions of the symbol field, in the order they are shown. */
export const SYMBOL_SUGGESTIONS = [
  "BTC/USDT",
  "ETH/USDT",
  "BNB/USDT",
  "ADA/USDT",
  "SOL/USDT",
  "XRP/USDT",
  "LTC/USDT",
  "DOGE/USDT",
  "XAU/USD",
  "XAG/USD",
  "EUR/USD",
  "GBP/USD",
  "AUD/USD",
  "USD/JPY",
  "US30",
  "NAS100",
  "SPX500",
  "WTI",
  "BRENT",
] as const;

/** What a signal request falls back to when a field is missing or does not parse. */
export const SIGNAL_DEFAULTS = {
  symbol: "BTC/USDT",
  timeframe: "1h",
  limit: 50,
  amount: 100,
  riskPercent: 1,
  leverage: 1,
} as const;

/** Inclusive bounds of the signal request's numbers. */
export const SIGNAL_LIMITS = {
  limit: { min: 10, max: 500 },
  riskPercent: { max: 100 },
  leverage: { min: 1, max: 125 },
  symbolLength: { min: 2, max: 20 },
  idempotencyKeyLength: 64,
} as const;

/** How long a whole request may take, in milliseconds. */
export const TIMEOUTS_MS = {
  signal: 60_000,
  signalWithImage: 120_000,
  history: 150_000,
  cleanup: 60_000,
} as const;

/** Signal history paging: items per page by default and at most. */
export const HISTORY_PAGE = { default: 50, max: 200 } as const;

/** Days that pushed events are kept for a client to catch up on. */
export const EVENT_RETENTION_DAYS = 7;

/** Days that the audit trail is kept. */
export const AUDIT_RETENTION_DAYS = 365;

/** Days that the tokens and costs of signals are kept, also of signals that were deleted. */
export const USAGE_RETENTION_DAYS = 365;

/** Audit trail paging: entries per page by default and at most. */
export const AUDIT_PAGE = { default: 50, max: 200 } as const;

/** Longest text of one payment method, in characters. */
export const PAYMENT_DETAIL_LENGTH = 2_000;

/** Hours within which an idempotency key gives the same signal again. */
export const IDEMPOTENCY_HOURS = 24;

/** Candles after which an open trade is closed: at least, at most, and where its signal does not say. */
export const HOLD_CANDLES = { min: 1, max: 480, default: 24 } as const;

/** Decimals that prices are shown with. */
export const PRICE_DECIMALS = 5;

/** Confidence above which the bar reads high, and medium; otherwise it reads low. */
export const CONFIDENCE_LEVELS = { high: 70, medium: 50 } as const;

/** Shortest password a new account or a change accepts. */
export const MIN_PASSWORD_LENGTH = 6;

/** Credits that the analysis of one chart image costs. */
export const IMAGE_ANALYSIS_CREDITS = 1;

/** Image analyses refused by the model that are refunded to one user on one UTC day. Later ones are charged. */
export const MAX_REFUSAL_REFUNDS = 3;

/**
 * Percent of the daily AI budget at which administrators are notified. Scheduled analyses stop at the first, all others
 * at the last.
 */
export const BUDGET_PERCENTS = [80, 100] as const;

/** Milliseconds between a successful registration and the move to the dashboard. */
export const REGISTRATION_REDIRECT_MS = 4_000;

/**
 * Decided signals or closed trades below which no figure is given, and independent trades below which no statement is
 * made about the edge: chance alone moves it too far.
 */
export const ENOUGH_SIGNALS = 30;

/** Address for questions where the operator has set no other. */
export const DEFAULT_CONTACT_EMAIL = "support@example.com";
