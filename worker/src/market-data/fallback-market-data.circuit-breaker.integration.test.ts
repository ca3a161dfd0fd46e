import type { ServiceBehaviour } from "@shared/testing/fakes/candle-service.ts";
import { type FakeExchange, startFakeExchange } from "@shared/testing/fakes/fake-exchange.ts";
import { OTHER_COINS } from "@shared/testing/recorded-candles.ts";
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from "vitest";
import { CCXT_LIMITS, GUARD_LIMITS, patient, silentLogger } from "../testing/fakes.ts";
import { CcxtMarketData } from "./ccxt/ccxt-market-data.ts";
import { ProviderCircuitBreaker } from "./fallback-market-data.ts";
import type { CandleRequest } from "./market-data.ts";

const NOW = Date.UTC(2026, 10, 20, 13, 37, 12);
const { restMs } = GUARD_LIMITS;
const COINS = ["BTC", "ETH", "BNB", "ADA", "SOL", "XRP", "LTC", "DOGE", ...OTHER_COINS];
const SYMBOLS = COINS.map((coin) => `${coin}/USDT`);
const STALLED = SYMBOLS.slice(0, 12);
const HEALTHY = SYMBOLS.slice(12);
const [SOME_STALLED = "", SOME_HEALTHY = ""] = [STALLED[0], HEALTHY[0]];
const candles = { subject: "candles" } as const;

let exchange: FakeExchange;
let provider: ProviderCircuitBreaker;
let clock = NOW;

beforeAll(async () => {
  exchange = await startFakeExchange({ now: () => clock });
  // On a kept connection that breaks, a request is sent once more.
  exchange.keepNoConnections();
});
afterAll(() => exchange.close());
beforeEach(() => {
  exchange.reset();
  clock = NOW;
  provider = guarded();
});

/** A body that stalls shows after 1 s, which a busy machine does not reach with one that comes. */
function guarded(): ProviderCircuitBreaker {
  const now = () => clock;
  const stalledBody = { ...CCXT_LIMITS.generous.candles, totalTimeoutMs: 1_000 };
  const binance = new CcxtMarketData({
    exchangeId: "binance",
    baseUrl: exchange.url,
    now,
    logger: silentLogger,
    limits: { ...CCXT_LIMITS.generous, candles: stalledBody },
    pace: false,
  });
  return new ProviderCircuitBreaker({ provider: binance, now, limits: GUARD_LIMITS });
}

const ask = (symbol: string, part: Partial<CandleRequest> = {}) =>
  provider.candles({ symbol, timeframe: "1h", limit: 50, abort: patient(), ...part });
const failuresOf = async (symbols: readonly string[]) => {
  const outcomes = await Promise.allSettled(symbols.map((symbol) => ask(symbol)));
  return outcomes.filter(({ status }) => status === "rejected").length;
};
const behaveAt = (symbols: readonly string[], behaviour: ServiceBehaviour) => {
  for (const symbol of symbols) exchange.behave(behaviour, { ...candles, symbol });
};
/** As many failures of each symbol as pause it. */
const failUntilPaused = async (symbols: readonly string[], behaviour: ServiceBehaviour) => {
  behaveAt(symbols, behaviour);
  for (let call = 0; call < 3; call += 1) expect(await failuresOf(symbols)).toBe(symbols.length);
};

describe("many markets at once", () => {
  it("wait for their turn at an exchange with a low rate, which is not its fault", async () => {
    const kraken = new CcxtMarketData({
      exchangeId: "kraken",
      baseUrl: exchange.url,
      now: () => clock,
      logger: silentLogger,
      limits: CCXT_LIMITS.generous,
    });
    // Kraken takes one a second, so that the last of them waits longer than any may take.
    const limits = { ...GUARD_LIMITS, timeShareMs: 1_500 };
    provider = new ProviderCircuitBreaker({ provider: kraken, now: () => clock, limits });
    expect(await failuresOf(["BTC/USDT", "ETH/USDT", "SOL/USDT", "ADA/USDT"])).toBe(0);
    expect(provider.health()).toMatchObject({ state: "ok", lastFailure: null });
  });
});

describe("markets whose candles stall", () => {
  it("cost no request for the others: 12 stalled symbols, 24 requests for healthy ones", async () => {
    behaveAt(STALLED, "stalled-body");
    let failed = 0;
    for (let round = 0; round < 4; round += 1) {
      const healthy = HEALTHY.slice((round % 2) * 6).slice(0, 6);
      const stalling = failuresOf(STALLED);
      failed += await failuresOf(healthy);
      expect(await stalling).toBe(12);
    }
    expect(failed).toBe(0);
    expect(provider.health().state).not.toBe("resting");
  });

  it("are paused, each by itself, and tried again once after the pause", async () => {
    await ask(SOME_HEALTHY);
    await failUntilPaused([SOME_STALLED], "stalled-body");
    await expect(ask(SOME_STALLED)).rejects.toMatchObject({
      failure: "timeout",
      message: "binance: BTC/USDT is paused after repeated failures",
    });
    expect(exchange.count({ symbol: SOME_STALLED })).toBe(3);
    clock += restMs;
    expect(await failuresOf([SOME_STALLED, SOME_STALLED, SOME_STALLED])).toBe(3);
    expect(exchange.count({ symbol: SOME_STALLED })).toBe(4);
    exchange.reset();
    expect(await failuresOf([SOME_STALLED])).toBe(1);
    clock += restMs;
    expect(await failuresOf([SOME_STALLED])).toBe(0);
    expect(await failuresOf([SOME_STALLED, SOME_STALLED])).toBe(0);
  });

  it("open the circuit of the exchange once most of them fail, until one that works is back", async () => {
    await failUntilPaused(SYMBOLS.slice(0, 8), "garbage");
    expect(provider.health()).toMatchObject({
      state: "resting",
      lastFailure: { failure: "nonsense" },
    });
    const asked = exchange.requests.length;
    expect(await failuresOf(SYMBOLS)).toBe(SYMBOLS.length);
    expect(exchange.requests).toHaveLength(asked);
    clock += restMs;
    expect(provider.health().state).toBe("resting");
    await ask(SOME_HEALTHY);
    expect(provider.health().state).toBe("ok");
    expect(await failuresOf(HEALTHY)).toBe(0);
  });

  it("open nothing when there are only a few of them, or the others worked lately", async () => {
    await failUntilPaused(SYMBOLS.slice(0, 4), "garbage");
    expect(await failuresOf(HEALTHY)).toBe(0);
    await failUntilPaused(SYMBOLS.slice(4, 12), "garbage");
    expect(await failuresOf(HEALTHY)).toBe(0);
    clock += 3_600_000;
    await failUntilPaused(HEALTHY.slice(0, 8), "garbage");
    expect(provider.health().state).toBe("resting");
  });
});

describe("an exchange whose connection fails", () => {
  it.each<[ServiceBehaviour, string]>([
    ["down", "unreachable"],
    ["unavailable", "refused"],
    ["rate-limited", "rate-limited"],
    ["blocked", "refused"],
  ])("is not called for any market after it was %s three times", async (behaviour, failure) => {
    await ask(SOME_HEALTHY);
    exchange.behave(behaviour);
    for (const symbol of STALLED.slice(0, 3)) expect(await failuresOf([symbol])).toBe(1);
    expect(provider.health()).toMatchObject({ state: "resting", lastFailure: { failure } });
    const asked = exchange.requests.length;
    await expect(ask(SOME_HEALTHY)).rejects.toMatchObject({ failure });
    expect(await failuresOf(SYMBOLS)).toBe(SYMBOLS.length);
    expect(exchange.requests).toHaveLength(asked);
  });

  it.each<ServiceBehaviour>(["down", "garbage", "empty"])(
    "is not called either after its list of markets was %s three times",
    async (behaviour) => {
      exchange.behave(behaviour, { subject: "markets" });
      for (const symbol of STALLED.slice(0, 3)) expect(await failuresOf([symbol])).toBe(1);
      expect(provider.health().state).toBe("resting");
      expect(await failuresOf(HEALTHY)).toBe(HEALTHY.length);
      expect(exchange.requests).toHaveLength(3);
    },
  );

  it("has its circuit opened once by many failures at the same time, and closed by one success", async () => {
    await ask(SOME_HEALTHY);
    exchange.behave("down");
    expect(await failuresOf(SYMBOLS)).toBe(SYMBOLS.length);
    const asked = exchange.requests.length;
    clock += restMs - 1;
    expect(await failuresOf(SYMBOLS)).toBe(SYMBOLS.length);
    expect(exchange.requests).toHaveLength(asked);
    clock += 1;
    expect(await failuresOf(SYMBOLS)).toBe(SYMBOLS.length);
    expect(exchange.requests).toHaveLength(asked + 1);
    clock += restMs;
    exchange.behave("ok");
    await ask(SOME_HEALTHY);
    expect(await failuresOf(SYMBOLS)).toBe(0);
  });

  const isTrying = (symbol: string) =>
    vi.waitFor(() => expect(exchange.count({ symbol })).toBeGreaterThan(0), { timeout: 30_000 });

  it("is tried with a healthy market although one that stalls is being asked for", async () => {
    await failUntilPaused([SOME_STALLED], "stalled-body");
    exchange.behave("down");
    for (const symbol of HEALTHY.slice(0, 3)) expect(await failuresOf([symbol])).toBe(1);
    exchange.reset();
    behaveAt([SOME_STALLED], "stalled-body");
    clock += restMs;
    const stalling = failuresOf([SOME_STALLED]);
    await isTrying(SOME_STALLED);
    await ask(SOME_HEALTHY);
    expect(await failuresOf(HEALTHY)).toBe(0);
    expect(await stalling).toBe(1);
  });

  it("is tried again at once when a trial says nothing, as its caller left or its symbol is unknown", async () => {
    await ask(SOME_HEALTHY);
    exchange.behave("down");
    for (const symbol of STALLED.slice(0, 3)) expect(await failuresOf([symbol])).toBe(1);
    exchange.reset();
    clock += restMs;
    await expect(ask("NOPE/USDT")).rejects.toMatchObject({ failure: "unknown-symbol" });
    exchange.behave("stalled-headers", { ...candles, times: 1 });
    const caller = new AbortController();
    const trial = ask(SOME_HEALTHY, { abort: caller.signal });
    await isTrying(SOME_HEALTHY);
    caller.abort();
    await expect(trial).rejects.toMatchObject({ failure: "timeout" });
    await ask(SOME_HEALTHY);
  });
});
