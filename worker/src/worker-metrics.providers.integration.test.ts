import { readFileSync } from "node:fs";
import { DEFAULT_TRADING_COSTS } from "@shared/contract/resolution.ts";
import { type FakeExchange, startFakeExchange } from "@shared/testing/fakes/fake-exchange.ts";
import { type FakeOpenAi, startFakeOpenAi } from "@shared/testing/fakes/fake-openai.ts";
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from "vitest";
import { buildMarketBrief } from "./analysis/market-brief.ts";
import { createOpenAiAnalyst } from "./analysis/openai/openai-analyst.ts";
import { askAnalyst } from "./analysis/request-advice.ts";
import { CcxtMarketData } from "./market-data/ccxt/ccxt-market-data.ts";
import { createFallbackMarketData } from "./market-data/fallback-market-data.ts";
import {
  CCXT_LIMITS,
  candlesFromCloses,
  GUARD_LIMITS,
  patient,
  series,
  silentLogger,
} from "./testing/fakes.ts";
import { countedAnalyst, createWorkerMetrics, type WorkerMetrics } from "./worker-metrics.ts";

let exchange: FakeExchange;
let openAi: FakeOpenAi;
let metrics: WorkerMetrics;
beforeAll(async () => {
  [exchange, openAi] = await Promise.all([startFakeExchange(), startFakeOpenAi()]);
});
beforeEach(() => {
  metrics = createWorkerMetrics();
  exchange.reset();
  openAi.reset();
});
afterAll(() => Promise.all([exchange.close(), openAi.close()]));

/** Lines of the figures about outside services. */
async function readFigures(): Promise<string[]> {
  const lines = (await metrics.registry.metrics()).split("\n");
  return lines.filter((line) => line.startsWith("provider_")).toSorted();
}

const failures = (provider: string, kind: string, count: number) =>
  `provider_failures_total{provider="${provider}",kind="${kind}",service="worker"} ${count}`;
const circuit = (provider: string, open: 0 | 1) =>
  `provider_circuit_open{provider="${provider}",service="worker"} ${open}`;

describe("metrics of market data providers", () => {
  const market = (restMs = 60_000) => {
    const providers = ["binance", "bybit"].map(
      (exchangeId) =>
        new CcxtMarketData({
          exchangeId,
          baseUrl: exchange.url,
          now: Date.now,
          logger: silentLogger,
          limits: CCXT_LIMITS.generous,
          pace: false,
        }),
    );
    const limits = { ...GUARD_LIMITS, restMs };
    const made = createFallbackMarketData({
      providers,
      now: Date.now,
      logger: silentLogger,
      limits,
    });
    metrics = createWorkerMetrics(made.health);
    return made;
  };
  const ask = (from: ReturnType<typeof market>) =>
    from.candles({ symbol: "BTC/USDT", timeframe: "1h", limit: 50, abort: patient() });

  it("count what one failed at, though another delivered", async () => {
    const providers = market();
    exchange.behave("garbage", { exchange: "binance", subject: "candles" });
    expect((await ask(providers)).provider).toBe("bybit");
    const once = [circuit("binance", 0), circuit("bybit", 0), failures("binance", "nonsense", 1)];
    expect(await readFigures()).toEqual(once);
    expect(await readFigures()).toEqual(once);
  });

  it("count each try", async () => {
    exchange.behave("blocked", { exchange: "binance", subject: "candles" });
    await ask(market());
    expect(await readFigures()).toContain(failures("binance", "refused", 2));
  });

  it("count a rate limit once, as it is not tried again", async () => {
    exchange.behave("rate-limited", { exchange: "binance", subject: "candles" });
    await ask(market());
    expect(await readFigures()).toContain(failures("binance", "rate-limited", 1));
  });

  it("show a provider that is left alone, until it is back", async () => {
    const providers = market(50);
    exchange.behave("down", { exchange: "binance", subject: "candles" });
    for (let call = 0; call < 3; call += 1) await ask(providers);
    expect(await readFigures()).toEqual([
      circuit("binance", 1),
      circuit("bybit", 0),
      failures("binance", "unreachable", 3),
    ]);
    exchange.behave("ok");
    await vi.waitFor(async () => expect((await ask(providers)).provider).toBe("binance"), {
      timeout: 30_000,
    });
    expect(await readFigures()).toContain(circuit("binance", 0));
  });

  it("do not count a symbol that a provider does not know", async () => {
    const providers = market();
    const abort = patient();
    const unknown = { symbol: "NOSUCH/USDT", timeframe: "1h", limit: 50, abort } as const;
    await expect(providers.candles(unknown)).rejects.toThrow("lists");
    expect(await readFigures()).toEqual([circuit("binance", 0), circuit("bybit", 0)]);
  });
});

describe("metrics of the AI", () => {
  const candles = candlesFromCloses(series(300, (index) => 100 + Math.sin(index)));
  const brief = buildMarketBrief({ symbol: "BTC/USDT", timeframe: "1h", limit: 50, candles });
  const ask = (shutdown = patient()) => {
    const connection = { apiKey: "any", baseUrl: openAi.baseUrl, model: "m", price: null };
    const analyst = createOpenAiAnalyst({
      ...connection,
      callTimeoutMs: 10_000,
      maxOutputTokens: 4_000,
    });
    const counted = countedAnalyst(analyst, metrics, shutdown);
    return askAnalyst(counted, {
      brief,
      costs: DEFAULT_TRADING_COSTS.crypto,
      corrections: [],
      abort: patient(),
    });
  };

  it("count a call that failed, though the next one brought advice", async () => {
    openAi.behave((_, index) =>
      index === 0 ? { kind: "status", status: 503 } : { kind: "advice" },
    );
    expect((await ask()).tries).toBe(2);
    expect(await readFigures()).toEqual([failures("openai", "refused", 1)]);
  });

  it("do not count calls that a stopping worker has aborted", async () => {
    openAi.behave({ kind: "status", status: 401 });
    await expect(ask(AbortSignal.abort())).rejects.toThrow("openai");
    expect(await readFigures()).toEqual([]);
  });
});

it.each(["alert-rules.yml", "grafana-dashboard.json"])("%s reads metrics that exist", (name) => {
  const text = readFileSync(new URL(`../../docs/operations/${name}`, import.meta.url), "utf8");
  const read =
    text.match(/\b(?:(?:provider|signal|ai)_[a-z_]+|analyses_in_flight)(?=[[{)])/g) ?? [];
  const names = metrics.registry.getMetricsAsArray().map((metric) => metric.name);
  expect(read).toContain("provider_circuit_open");
  for (const figure of read) expect(names).toContain(figure.replace(/_(bucket|count|sum)$/, ""));
});
