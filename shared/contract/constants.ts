export const SECOND_MS = 1_000;
export const MINUTE_MS = 60 * SECOND_MS;
export const HOUR_MS = 60 * MINUTE_MS;
export const DAY_MS = 24 * HOUR_MS;

/** Candle lengths, shortest first. */
export const TIMEFRAMES = ["1m", "5m", "15m", "30m", "1h", "4h", "1d"] as const;

/** Values of missing or invalid fields of a signal request. */
export const SIGNAL_DEFAULTS = {
  symbol: "BTC/USDT",
  timeframe: "1h",
  limit: 50,
  amount: 100,
  riskPercent: 1,
  leverage: 1,
} as const;

export const SIGNAL_LIMITS = {
  limit: { min: 10, max: 500 },
  riskPercent: { max: 100 },
  leverage: { min: 1, max: 125 },
  symbolLength: { min: 2, max: 20 },
  idempotencyKeyLength: 64,
} as const;

/** Timeouts of whole requests, in milliseconds. */
export const TIMEOUTS_MS = {
  signal: 60_000,
  signalWithImage: 120_000,
  history: 150_000,
  cleanup: 60_000,
} as const;

export const HISTORY_PAGE = { default: 50, max: 200 } as const;

/** Of one server. A further one closes the oldest. */
export const MAX_SOCKETS_PER_USER = 10;

export const EVENT_RETENTION_DAYS = 7;

/** Retention of tokens and costs, also of deleted signals. */
export const USAGE_RETENTION_DAYS = 365;

/** Retention of fingerprints of proofs of payment, after the proof is removed. */
export const PROOF_FINGERPRINT_DAYS = 365;

/** Retention of chart images, of the list of sent messages and of the security log. */
export const CHART_IMAGE_DAYS = 30;
export const DELIVERY_RETENTION_DAYS = 30;
export const SECURITY_LOG_DAYS = 365;

/** A session ends when it has not been used for this time, and this long after the sign-in. */
export const SESSION_IDLE_HOURS = 24;
/** In which a network stays a user's own after their last sign-in from it. */
export const KNOWN_NETWORK_DAYS = 90;
export const SESSION_LIFETIME_DAYS = 30;

export const MAX_PAYMENT_DETAIL_LENGTH = 2_000;

/** How long an idempotency key is valid. */
export const IDEMPOTENCY_HOURS = 24;

/** Hold limit of a trade, and its default. */
export const HOLD_CANDLES = { min: 1, max: 480, default: 24 } as const;

export const PRICE_DECIMALS = 5;

export const CONFIDENCE_LEVELS = { high: 70, medium: 50 } as const;

export const MIN_PASSWORD_LENGTH = 6;
export const MIN_ADMIN_PASSWORD_LENGTH = 12;

export const IMAGE_ANALYSIS_CREDITS = 1;

/** Refunds a day (UTC) and user for chart images that the model declined. Other failures are always refunded. */
export const MAX_REFUSAL_REFUNDS = 3;

/** Percent of the daily AI budget at which administrators are notified. Analyses stop at the last one. */
export const BUDGET_PERCENTS = [80, 100] as const;

/** Part of the daily AI budget at which scheduled analyses stop. */
export const SCHEDULED_BUDGET_PERCENT = 80;

/** Time between a registration and the dashboard. */
export const REGISTRATION_REDIRECT_MS = 4_000;

/** Minimum number of signals or trades for a metric, and of independent trades for a statement about the edge. */
export const MIN_SIGNALS = 30;

/** Used if the operator sets no other. */
export const DEFAULT_CONTACT_EMAIL = "support@example.com";

/** Live prices of one socket. */
export const MAX_WATCHED_PRICES = 20;

/** A live price without a newer one for this long is stale. */
export const PRICE_STALE_MS = 30_000;

/** Sentences that the specification prescribes and several services use. */
export const MESSAGES = {
  failedSignal: "AI or data fetch failed",
  noCredits: "You don't have any image analysis credits. Please recharge your account to continue.",
  invalidNumber: "Invalid number.",
  proofIncomplete: "Please provide both sender name and a file.",
  proofSubmitted: "Proof submitted successfully! Please wait for review.",
  wrongPassword: "Failed to change password. Please check your current password.",
  requestTimeout: "Server took too long to respond. Please try again.",
  demoDataPrefix: "Demo data:",
  ruleBasedPrefix: "Rule-based analysis:",
  missedEntryPrefix: "The entry is missed:",
  uncheckedEntryPrefix: "The entry could not be checked:",
  demoRecord: "Demo record, from recorded candles",
} as const;

/** Response to a password reset request, whether or not the address is known. */
export const resetLinkSentMessage = (email: string): string =>
  `If an account with ${email} exists, a password reset link has been sent. Please check your inbox and spam folder.`;

export const CHANNEL_DISABLED_REASONS = ["gone", "unsubscribed", "password-changed"] as const;

/** Why a payment proof may be rejected. `other` needs a note. */
export const PROOF_REJECTION_REASONS = [
  "amount-too-low",
  "unreadable",
  "wrong-account",
  "duplicate",
  "other",
] as const;

/** Fragment of the dashboard's address that opens the form for a payment proof. */
export const PROOF_ANCHOR = "payment-proof";

/**
 * How long administrators are offered to undo an approval or a revocation; how late the server accepts it, because many at
 * once take time; and how long the email about an approval waits.
 */
export const UNDO_SECONDS = { offered: 10, accepted: 120, email: 15 } as const;

/** Users that administrators can write to at once. */
export const MAX_EMAILED_USERS = 500;
