import type { Me, UserCard } from "@shared/contract/account.ts";
import { DAY_MS } from "@shared/contract/constants.ts";
import { type MarketCandles, TIMEFRAME_MS } from "@shared/contract/market-data.ts";
import type { Analysis, HistoryItem, SignalResponse } from "@shared/contract/signal.ts";
import type { BillingPeriod, Subscription } from "@shared/contract/subscription.ts";
import type { WatchlistItem } from "@shared/contract/watchlist.ts";

const ann = {
  username: "ann",
  email: "ann@example.com",
  email_verified: true,
  role: "user",
  allow_image_upload: false,
  image_credits: 0,
  subscription: null,
  payment_proof: null,
} as const;

/** An approved trader, unless `overrides` says otherwise. */
export const makeMe = (overrides: Partial<Me> = {}): Me => ({
  ...ann,
  approved: true,
  two_factor: { enabled: false, recovery_codes_left: 0 },
  stream_positions: { user: 0 },
  ...overrides,
});

export const ADMIN = {
  role: "admin",
  username: "admin",
  stream_positions: { user: 0, admins: 0 },
} as const;

export const inDays = (days: number): string => new Date(Date.now() + days * DAY_MS).toISOString();

/** A subscription to the Trader plan that began 20 days ago and runs for 10 more. */
export const makeSubscription = (overrides: Partial<Subscription> = {}): Subscription => ({
  plan: "trader",
  status: "active",
  started_at: inDays(-20),
  ends_at: inDays(10),
  grace_until: null,
  ...overrides,
});

/** The payment for `makeSubscription()`. */
export const makePeriod = (overrides: Partial<BillingPeriod> = {}): BillingPeriod => ({
  plan: "trader",
  months: 1,
  price_usd: 100,
  started_at: inDays(-20),
  ends_at: inDays(10),
  revoked_at: null,
  proof: null,
  ...overrides,
});

/** A trader who waits for approval, as an administrator sees them. */
export const makeUserCard = (overrides: Partial<UserCard> = {}): UserCard => ({
  ...ann,
  approved: false,
  created_at: "2026-11-20T12:00:00.000Z",
  ...overrides,
});

export const makeHistoryItem = (overrides: Partial<HistoryItem> = {}): HistoryItem => ({
  id: "0123456789abcdef01234567",
  timestamp: "2026-11-20T12:00:00.000Z",
  symbol: "BTC/USDT",
  timeframe: "1h",
  status: "completed",
  signal: "BUY",
  confidence: 70,
  entry: 113_000,
  stop_loss: 112_000,
  take_profit: 115_000,
  rationale: "momentum is rising",
  ...overrides,
});

/** An item without a result, which nothing is awaited for. */
export const makeWatchlistItem = (overrides: Partial<WatchlistItem> = {}): WatchlistItem => ({
  id: "w1",
  symbol: "BTC/USDT",
  timeframe: "1h",
  min_confidence: 0,
  amount: 100,
  risk_percent: 1,
  leverage: 1,
  enabled: true,
  created_at: "2026-11-20T12:00:00.000Z",
  next_at: inDays(1),
  last: null,
  ...overrides,
});

/** A completed SELL of the rule-based analyst on replayed data. */
export function makeSignal(analysis: Partial<Analysis> = {}): SignalResponse {
  return {
    signal_id: "0123456789abcdef01234567",
    symbol: "BTC/USDT",
    timeframe: "1h",
    status: "completed",
    created_at: new Date().toISOString(),
    origin: "request",
    analysis: {
      final_signal: "SELL",
      confidence: 62,
      entry: 100,
      stop_loss: 102,
      take_profit: 96,
      warnings: [],
      suggested_hold: "6 candles",
      suggested_units: 0.5,
      estimated_dollar_risk: 1,
      required_margin: 50,
      trade_duration_text: "6 hours",
      calibrated_confidence: null,
      raw_ai: {
        confidence: 62,
        rationale: "momentum is falling",
        key_evidence: [],
        market_condition: "Quiet",
        what_to_watch_for: [],
      },
      source: {
        data: "replay",
        provider: "replay",
        analyst: "rules",
        analyst_version: "rules/1",
        model: "rules",
        last_candle_at: null,
        price: null,
      },
      ...analysis,
    },
  };
}

/** Candles of BTC/USDT at 1h that rise by 1 each, the open one last. */
export function makeCandles(overrides: Partial<MarketCandles> = {}): MarketCandles {
  const lengthMs = TIMEFRAME_MS["1h"];
  const openedAt = Math.floor(Date.now() / lengthMs) * lengthMs;
  const count = 60;
  return {
    symbol: "BTC/USDT",
    timeframe: "1h",
    source: "binance",
    candles: Array.from({ length: count }, (_, index) => ({
      time: openedAt - (count - 1 - index) * lengthMs,
      open: 100 + index,
      high: 101.5 + index,
      low: 99.5 + index,
      close: 101 + index,
      volume: 10,
      closed: index < count - 1,
    })),
    opens_at: null,
    delay_ms: 0,
    ...overrides,
  };
}

/** Of a seller who has not entered any. */
export const NO_PAYMENT_DETAILS = {
  bank_details_1: "",
  bank_details_2: "",
  bank_details_3: "",
  paypal_details: "",
  skrill_details: "",
  wise_details: "",
};
