import { HOUR_MS, MINUTE_MS } from "@shared/contract/constants.ts";
import { TIMEFRAME_MS } from "@shared/contract/market-data.ts";
import { DEFAULT_TRADING_COSTS } from "@shared/contract/resolution.ts";
import type { Database } from "@shared/database/database.ts";
import type { SignalRecord } from "@shared/database/models/signal.ts";
import type { UserRecord } from "@shared/database/models/user.ts";
import type { Trade } from "@shared/outcomes/simulate-trade.ts";
import { createUser, insertAll } from "@shared/testing/factories.ts";
import type { ServedCandle } from "@shared/testing/fakes/weather.ts";
import { analysisOf, newSignal, tradeAnalysis } from "@shared/testing/signal-factory.ts";
import { uniformInt } from "pure-rand/distribution/uniformInt";
import { xoroshiro128plus } from "pure-rand/generator/xoroshiro128plus";
import { CandleCache } from "../market-data/candle-cache.ts";
import {
  closedCandles,
  firstOpeningTime,
  openingTime,
  orderRows,
  readRows,
  UnusableCandlesError,
} from "../market-data/candles.ts";
import { createFallbackMarketData } from "../market-data/fallback-market-data.ts";
import {
  type CandleRequest,
  type CandleSeries,
  type LiveProvider,
  type MarketData,
  ProviderError,
  type ProviderFailure,
} from "../market-data/market-data.ts";
import { CandleArchive } from "../outcomes/candle-archive.ts";
import { MarketBackoff, resolveOutcomes } from "../outcomes/resolve-outcomes.ts";
import { appendRecords } from "../record/append-records.ts";
import { GUARD_LIMITS, silentLogger } from "./fakes.ts";
import { completeCandles } from "./plain-outcome.ts";
import {
  expectedOutcome,
  FIRST,
  WEATHER_END,
  WEATHER_START,
  type WeatherScenario,
} from "./weather-scenario.ts";

/** After so many runs of the resolver, another worker goes on, with nothing in its memory. */
const RUNS_OF_WORKER = 7;

interface StoredTrade {
  scenario: WeatherScenario;
  trade: Trade;
  signal: SignalRecord;
}

/** What is wrong with an outcome. */
interface WrongOutcome {
  seed: number;
  trade: Trade;
  expected: unknown;
  found: unknown;
}

/**
 * Resolves the trades of scenarios as workers would over days, by the real resolver on a real database, and compares each
 * outcome with that of the complete series.
 */
export async function resolveUnderWeather(
  database: Database,
  scenarios: readonly WeatherScenario[],
): Promise<WrongOutcome[]> {
  const clock = { now: WEATHER_START };
  const stored = (
    await Promise.all(scenarios.map((scenario) => tradesOf(database, scenario)))
  ).flat();
  await storeTrades(database, stored);
  await appendAll(database);
  const live = marketsOf(scenarios, clock);
  let worker = newWorker(database, live, clock);
  for (const [run, now] of checkTimes().entries()) {
    clock.now = now;
    if (run % RUNS_OF_WORKER === 0) worker = newWorker(database, live, clock);
    await worker();
  }
  await appendAll(database);
  const wrong = await Promise.all(stored.map((one) => wrongOutcome(database, one)));
  return wrong.flatMap((one) => one ?? []);
}

async function appendAll(database: Database): Promise<void> {
  while ((await appendRecords({ database, now: () => new Date() })) > 0);
}

/** Each market has its own user: the events of one user are stored one after the other. */
async function tradesOf(database: Database, scenario: WeatherScenario): Promise<StoredTrade[]> {
  const user = await createUser(database);
  return scenario.trades.map((trade) => ({ scenario, trade, signal: signalOf(user, trade) }));
}

/** All at once: one after the other would take longer than to resolve them. */
async function storeTrades(database: Database, stored: readonly StoredTrade[]): Promise<void> {
  await insertAll(
    database.marketAnalyses,
    stored.map(({ trade, signal }) => ({
      ...analysisOf(signal),
      resolveAt: new Date(trade.createdAt),
    })),
  );
  await insertAll(
    database.signals,
    stored.map(({ signal }) => signal),
  );
}

function signalOf(user: UserRecord, trade: Trade): SignalRecord {
  const { symbol, timeframe, createdAt, side, entry, stopLoss, takeProfit, holdCandles } = trade;
  const lengthMs = TIMEFRAME_MS[timeframe];
  const lastCandleAt = new Date(Math.floor(createdAt / lengthMs) * lengthMs);
  const analysis = tradeAnalysis(lastCandleAt, {
    final_signal: side,
    entry,
    stop_loss: stopLoss,
    take_profit: takeProfit,
    hold_candles: holdCandles,
  });
  return {
    ...newSignal(user),
    symbol,
    timeframe,
    createdAt: lastCandleAt,
    finishedAt: new Date(createdAt),
    analysis: { ...analysis, source: { ...analysis.source, provider: FIRST, price: trade.price } },
  };
}

/** The times at which the resolver runs: often while trades are opened, rarely at the end. */
function checkTimes(): number[] {
  const random = xoroshiro128plus(1);
  const times: number[] = [];
  for (let now = WEATHER_START; now < WEATHER_END; ) {
    const isEarly = now < WEATHER_START + 10 * HOUR_MS;
    now += uniformInt(random, 20_000, isEarly ? 25 * MINUTE_MS : 2.5 * HOUR_MS);
    times.push(now);
  }
  return times;
}

type Clock = { readonly now: number };

function newWorker(database: Database, live: MarketData, clock: Clock) {
  const archive = new CandleArchive({ live, replay: undefined });
  const backoff = new MarketBackoff();
  const { signal: abort } = new AbortController();
  const rest = { database, archive, backoff, abort, logger: silentLogger };
  const tradingCosts = DEFAULT_TRADING_COSTS;
  return () => resolveOutcomes({ ...rest, tradingCosts, now: () => new Date(clock.now) });
}

/** Each scenario has its own providers: a ban of one must not change the result of another. */
function marketsOf(scenarios: readonly WeatherScenario[], clock: Clock): MarketData {
  const now = () => clock.now;
  const bySymbol = new Map(
    scenarios.map((scenario) => {
      const providers = Object.keys(scenario.minutes).map(
        (name) => new ScenarioProvider(name, scenario, now),
      );
      const limits = { ...GUARD_LIMITS, retryDelayMs: 0 };
      const source = createFallbackMarketData({ providers, now, logger: silentLogger, limits });
      return [scenario.symbol, new CandleCache({ source, now })];
    }),
  );
  return {
    candles(request) {
      const market = bySymbol.get(request.symbol);
      if (!market) throw new Error(`no scenario has ${request.symbol}`);
      return market.candles(request);
    },
  };
}

/** Read before the first candle, as the product does at exchanges. */
const SPARE_CANDLES = 10;

/** A provider in the weather of a scenario. Its rows are read as those of an exchange. */
class ScenarioProvider implements LiveProvider {
  readonly name: string;
  readonly #scenario: WeatherScenario;
  readonly #now: () => number;
  readonly #candles = new Map<string, ServedCandle[]>();

  constructor(name: string, scenario: WeatherScenario, now: () => number) {
    this.name = name;
    this.#scenario = scenario;
    this.#now = now;
  }

  covers(): boolean {
    return true;
  }

  async symbols(): Promise<string[]> {
    return [this.#scenario.symbol];
  }

  async isReachable(): Promise<boolean> {
    return true;
  }

  async candles(request: CandleRequest): Promise<CandleSeries> {
    try {
      return this.#series(request);
    } catch (error) {
      if (error instanceof UnusableCandlesError) throw this.#fail("nonsense");
      throw error;
    }
  }

  #series(request: CandleRequest): CandleSeries {
    const { timeframe, limit, until = Number.POSITIVE_INFINITY } = request;
    const now = this.#now();
    const { weather } = this.#scenario;
    const bannedUntil = weather.bannedUntil(this.name, now);
    if (bannedUntil !== null) throw this.#fail("rate-limited", bannedUntil - now);
    if (!weather.isListed(this.name, now)) throw this.#fail("unknown-symbol");
    const closedUntil = openingTime(Math.min(now, until), timeframe);
    const since = firstOpeningTime(timeframe, { count: limit + SPARE_CANDLES, now: closedUntil });
    const shown = this.#rows(request, { since, end: closedUntil + TIMEFRAME_MS[timeframe] });
    const rows = orderRows(readRows(shown), timeframe, now);
    const candles = closedCandles(rows, { timeframe, count: limit, closedUntil });
    return { candles, provider: this.name, data: "live", notes: [] };
  }

  #rows(
    { symbol, timeframe }: CandleRequest,
    { since, end }: { since: number; end: number },
  ): unknown[] {
    const { name: provider } = this;
    const now = this.#now();
    const lengthMs = TIMEFRAME_MS[timeframe];
    const all = this.#candlesOf(timeframe);
    const candles = all.slice(firstFrom(all, since), firstFrom(all, Math.min(end, now + 1)));
    const last = candles.at(-1);
    if (last && last.time + lengthMs > now) candles.splice(-1, 1, { ...last, isOpen: true });
    return this.#scenario.weather
      .rows({ provider, symbol, timeframe, now }, candles)
      .map(({ time, open, high, low, close, volume }) => [time, open, high, low, close, volume]);
  }

  #candlesOf(timeframe: CandleRequest["timeframe"]): ServedCandle[] {
    const minutes = this.#scenario.minutes[this.name] ?? [];
    const candles =
      this.#candles.get(timeframe) ??
      completeCandles(minutes, timeframe)
        .filter(({ volume }) => volume > 0)
        .map((candle) => ({ ...candle, isOpen: false }));
    this.#candles.set(timeframe, candles);
    return candles;
  }

  #fail(failure: ProviderFailure, retryAfterMs?: number): ProviderError {
    const scope = failure === "rate-limited" ? "provider" : "market";
    const message = "as the weather is";
    return new ProviderError({ provider: this.name, failure, scope, retryAfterMs, message });
  }
}

/** Index of the first candle that opens at `time` or later. */
function firstFrom(candles: readonly ServedCandle[], time: number): number {
  let [low, high] = [0, candles.length];
  while (low < high) {
    const middle = Math.floor((low + high) / 2);
    if ((candles[middle]?.time ?? time) < time) low = middle + 1;
    else high = middle;
  }
  return low;
}

async function wrongOutcome(
  database: Database,
  { scenario, trade, signal }: StoredTrade,
): Promise<WrongOutcome | null> {
  const { resolution } = await database.marketAnalyses.findById(signal.analysisId).orFail().lean();
  const expected = expectedOutcome(scenario, trade);
  const { outcome, reason, fill, exit, r_multiple: r } = resolution ?? {};
  const found = { outcome, reason, fill, exit };
  const isSame =
    JSON.stringify(found) === JSON.stringify(plainly(expected)) &&
    Math.abs((r ?? 0) - (expected.r_multiple ?? 0)) < 0.0001;
  return isSame ? null : { seed: scenario.seed, trade, expected, found: resolution };
}

const plainly = ({ outcome, reason, fill, exit }: ReturnType<typeof expectedOutcome>) => ({
  outcome,
  reason,
  fill,
  exit,
});
