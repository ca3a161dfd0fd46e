import { TIMEFRAMES } from "@shared/contract/constants.ts";
import { candleSchema, TIMEFRAME_MS } from "@shared/contract/market-data.ts";
import type { ServiceBehaviour } from "@shared/testing/fakes/candle-service.ts";
import { FAKE_EXCHANGES, startFakeExchange } from "@shared/testing/fakes/fake-exchange.ts";
import { FAKE_OANDA_TOKEN, startFakeOanda } from "@shared/testing/fakes/fake-oanda.ts";
import { FAKE_YAHOO_DELAY_MS, startFakeYahoo } from "@shared/testing/fakes/fake-yahoo.ts";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { z } from "zod";
import { CCXT_LIMITS, patient, silentLogger } from "../testing/fakes.ts";
import { CcxtMarketData } from "./ccxt/ccxt-market-data.ts";
import type { CandleRequest, MarketData } from "./market-data.ts";
import { createOandaMarketData } from "./oanda/oanda-market-data.ts";
import { createReplayMarketData } from "./replay/replay-market-data.ts";
import { createYahooMarketData } from "./yahoo/yahoo-market-data.ts";

/** A Wednesday on which every market is open. */
const NOW = Date.UTC(2026, 10, 18, 16, 37, 12);

type Patience = "generous" | "stalledHeaders" | "stalledBody";
const { generous, stalledHeaders, stalledBody } = CCXT_LIMITS;
const LIMITS = { generous, stalledHeaders, stalledBody };

/** A provider, with the service behind it if there is one. */
interface Subject {
  provider: (patience?: Patience) => MarketData;
  behave?: (behaviour: ServiceBehaviour) => void;
  close: () => Promise<void>;
}

interface Candidate {
  name: string;
  symbol: string;
  /** How late it publishes, milliseconds. */
  delayMs?: number;
  start: (now: () => number) => Promise<Subject>;
}

const EXCHANGES: readonly Candidate[] = FAKE_EXCHANGES.map((exchangeId) => ({
  name: exchangeId,
  symbol: "BTC/USDT",
  start: async (now) => {
    const exchange = await startFakeExchange({ now });
    return {
      provider: (patience = "generous") =>
        new CcxtMarketData({
          exchangeId,
          baseUrl: exchange.url,
          now,
          logger: silentLogger,
          limits: LIMITS[patience],
          pace: false,
        }),
      behave: (behaviour) => exchange.behave(behaviour, { subject: "candles" }),
      close: exchange.close,
    };
  },
}));

const OANDA: Candidate = {
  name: "oanda",
  symbol: "EUR/USD",
  start: async (now) => {
    const { url, behave, close } = await startFakeOanda({ now });
    return {
      provider: (patience = "generous") =>
        createOandaMarketData({
          token: FAKE_OANDA_TOKEN,
          baseUrl: url,
          now,
          limits: LIMITS[patience].candles,
        }),
      behave: (behaviour) => behave(behaviour),
      close,
    };
  },
};

const yahoo = (symbol: string, delayMs: number): Candidate => ({
  name: `yahoo, ${symbol}`,
  symbol,
  delayMs,
  start: async (now) => {
    const { url, behave, close } = await startFakeYahoo({ now });
    return {
      provider: (patience = "generous") =>
        createYahooMarketData({ baseUrl: url, now, limits: LIMITS[patience].candles }),
      behave: (behaviour) => behave(behaviour),
      close,
    };
  },
});

const REPLAY: Candidate = {
  name: "replay",
  symbol: "EUR/USD",
  start: async (now) => ({
    provider: () => createReplayMarketData({ now }),
    close: async () => undefined,
  }),
};

const CANDIDATES: readonly Candidate[] = [
  ...EXCHANGES,
  OANDA,
  yahoo("EUR/USD", 0),
  yahoo("XAU/USD", FAKE_YAHOO_DELAY_MS),
  yahoo("SPX500", 0),
  REPLAY,
];

describe.each(CANDIDATES)("$name as a source of candles", ({ symbol, delayMs = 0, start }) => {
  let subject: Subject;
  let provider: MarketData;
  let clock = NOW;
  beforeAll(async () => {
    subject = await start(() => clock);
    provider = subject.provider();
  });
  afterAll(() => subject.close());
  beforeEach(() => {
    clock = NOW;
    subject.behave?.("ok");
  });
  const request = (part: Partial<CandleRequest> = {}): CandleRequest => ({
    symbol,
    timeframe: "1h",
    limit: 50,
    abort: patient(),
    ...part,
  });

  it.each(TIMEFRAMES)(
    "brings closed candles at %s: valid, on the grid, oldest first",
    async (timeframe) => {
      const { candles } = await provider.candles(request({ timeframe }));
      const lengthMs = TIMEFRAME_MS[timeframe];
      expect(candles).toHaveLength(50);
      expect(z.array(candleSchema).safeParse(candles).error).toBeUndefined();
      const times = candles.map(({ time }) => time);
      expect(times.filter((time) => time % lengthMs !== 0)).toEqual([]);
      expect(times).toEqual([...new Set(times)].sort((one, other) => one - other));
      const newest = Math.floor((clock - delayMs) / lengthMs) * lengthMs - lengthMs;
      expect(new Date(times.at(-1) ?? 0)).toEqual(new Date(newest));
    },
  );

  it.each([1, 10, 300, 500])(
    "brings no more than %i where so many are asked for",
    async (limit) => {
      const { candles } = await provider.candles(request({ timeframe: "5m", limit }));
      expect(candles).toHaveLength(limit);
    },
  );

  it("shows a candle when it has closed, and not a moment before", async () => {
    const closesAt = Math.ceil(NOW / 60_000) * 60_000;
    const lastAt = async (moment: number) => {
      clock = moment + delayMs;
      const { candles } = await provider.candles(request({ timeframe: "1m" }));
      return (candles.at(-1)?.time ?? 0) + 60_000;
    };
    expect(await lastAt(closesAt - 1_000)).toBe(closesAt - 60_000);
    expect(await lastAt(closesAt)).toBe(closesAt);
  });

  it.each(["1m", "1h", "4h"] as const)(
    "brings the open candle at %s only if it is asked for, after the closed ones",
    async (timeframe) => {
      expect((await provider.candles(request({ timeframe }))).open).toBeUndefined();
      const { candles, open } = await provider.candles(request({ timeframe, withOpen: true }));
      expect(candleSchema.safeParse(open).error).toBeUndefined();
      expect(candles).toHaveLength(50);
      expect(open?.time).toBe((candles.at(-1)?.time ?? 0) + TIMEFRAME_MS[timeframe]);
    },
  );

  it("shows a closed candle again as it was", async () => {
    const before = await provider.candles(request({ timeframe: "4h", limit: 40 }));
    clock += 4 * TIMEFRAME_MS["1h"];
    const after = await provider.candles(request({ timeframe: "4h", limit: 41 }));
    const known = before.candles.slice(-30);
    expect(after.candles).toEqual(expect.arrayContaining(known));
  });

  it("does not know a symbol that no provider lists", async () => {
    await expect(provider.candles(request({ symbol: "NOPE/USDT" }))).rejects.toMatchObject({
      name: "ProviderError",
      failure: "unknown-symbol",
    });
  });
});

const SERVED = CANDIDATES.filter((candidate) => candidate !== REPLAY);
const FAULTS: readonly [ServiceBehaviour, string, Patience?][] = [
  ["down", "unreachable"],
  ["stalled-headers", "unreachable", "stalledHeaders"],
  ["stalled-body", "timeout", "stalledBody"],
  ["rate-limited", "rate-limited"],
  ["unavailable", "refused"],
  ["blocked", "refused"],
  ["html", "nonsense"],
  ["garbage", "nonsense"],
  ["empty", "nonsense"],
];

describe.each(SERVED)("$name when its service fails", ({ symbol, start }) => {
  let subject: Subject;
  let providers: Record<Patience, MarketData>;
  beforeAll(async () => {
    subject = await start(() => NOW);
    providers = {
      generous: subject.provider("generous"),
      stalledHeaders: subject.provider("stalledHeaders"),
      stalledBody: subject.provider("stalledBody"),
    };
  });
  afterAll(() => subject.close());
  const request = (abort = patient()): CandleRequest => ({
    symbol,
    timeframe: "1d",
    limit: 200,
    abort,
  });

  it.each(FAULTS)("reports candles that come %s as %s", async (behaviour, failure, patience) => {
    // A provider keeps the pause that its service asks for.
    const provider =
      behaviour === "rate-limited" ? subject.provider() : providers[patience ?? "generous"];
    subject.behave?.(behaviour);
    await expect(provider.candles(request())).rejects.toMatchObject({
      name: "ProviderError",
      failure,
    });
  });

  it("ends at once when the caller gives up, and works for the next", async () => {
    const provider = providers.generous;
    subject.behave?.("stalled-body");
    const caller = new AbortController();
    const candles = provider.candles(request(caller.signal));
    caller.abort();
    await expect(candles).rejects.toMatchObject({ name: "ProviderError", failure: "timeout" });
    subject.behave?.("ok");
    expect((await provider.candles(request())).candles).toHaveLength(200);
  });
});
