import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { MINUTE_MS } from "@shared/contract/constants.ts";
import { TIMEFRAME_MS, type Timeframe } from "@shared/contract/market-data.ts";
import { DEFAULT_TRADING_COSTS } from "@shared/contract/resolution.ts";
import { type Database, openDatabase } from "@shared/database/database.ts";
import type { SignalRecord } from "@shared/database/models/signal.ts";
import type { UserRecord } from "@shared/database/models/user.ts";
import { readLedgerHead, streamLedgerEntries } from "@shared/domain/ledger.ts";
import { createLogger } from "@shared/runtime/logger.ts";
import { createUser, insertAll } from "@shared/testing/factories.ts";
import {
  analysisOf,
  createSignals,
  newSignal,
  tradeAnalysis,
} from "@shared/testing/signal-factory.ts";
import { testDatabaseUri } from "@shared/testing/test-mongo.ts";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { recordedLibrary, recordedMarket } from "../../worker/src/backtest/recorded-market.ts";
import { CandleArchive } from "../../worker/src/outcomes/candle-archive.ts";
import { MarketBackoff, resolveOutcomes } from "../../worker/src/outcomes/resolve-outcomes.ts";
import { appendRecords } from "../../worker/src/record/append-records.ts";
import { projectRoot } from "../lib/prepare-project.mjs";
import { runVerifyLedger } from "./run-verify-ledger.ts";

const CANDLES = join(projectRoot, "worker/src/market-data/replay/data");
const MARKETS: [string, Timeframe][] = [
  ["BTC/USDT", "1m"],
  ["BTC/USDT", "1h"],
  ["BTC/USDT", "30m"],
  ["ETH/USDT", "1h"],
  ["XRP/USDT", "5m"],
  ["EUR/USD", "1h"],
  ["XAU/USD", "1h"],
  ["GBP/USD", "1d"],
];
/** Where a wrong outcome is planted. No candle is shorter, so none is missing that could decide otherwise. */
const PLANTED = { symbol: "BTC/USDT", timeframe: "1m" } as const;
/** All pairs of a side and of the levels below. */
const TRADES_PER_MARKET = 6;
const CHECKS = 8;
/** Multiples of the average range at which the stop loss and the take profit are. */
const LEVELS = [
  { stop: 0.5, target: 0.5 },
  { stop: 1, target: 2 },
  { stop: 2, target: 3 },
];

describe("outcomes of recorded candles, resolved again", () => {
  let database: Database;
  let folder: string;
  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), "resolve-again-"));
    vi.stubEnv("INIT_CWD", folder);
    database = await openDatabase({ uri: testDatabaseUri() });
    const user = await createUser(database, { approved: true });
    const signals = MARKETS.flatMap((market) => tradesOf(user, market));
    await insertAll(database.signals, signals);
    await insertAll(
      database.marketAnalyses,
      signals.map((signal) => ({ ...analysisOf(signal), resolveAt: signal.createdAt })),
    );
    await appendAll(database);
    const archive = new CandleArchive({
      live: recordedMarket(recordedLibrary()),
      replay: undefined,
    });
    let checkedAt = Date.now();
    const deps = {
      database,
      archive,
      tradingCosts: DEFAULT_TRADING_COSTS,
      logger: createLogger({ service: "test", level: "silent" }),
      backoff: new MarketBackoff(),
      now: () => new Date(checkedAt),
      abort: new AbortController().signal,
    };
    // What is missing in one answer counts as not traded once a later answer confirms it.
    const count = MARKETS.length * TRADES_PER_MARKET;
    for (let resolved = 0, check = 0; resolved < count && check < CHECKS; check += 1) {
      resolved += await resolveOutcomes(deps);
      checkedAt += MINUTE_MS;
    }
    await appendAll(database);
  });
  afterAll(async () => {
    await database.close();
    rmSync(folder, { recursive: true });
  });

  async function resolveAgain() {
    const lines: string[] = [];
    for await (const entry of await ledgerOf(database)) lines.push(JSON.stringify(entry));
    writeFileSync(join(folder, "ledger.ndjson"), lines.join("\n"));
    const said: string[] = [];
    const isGood = await runVerifyLedger({
      args: [join(folder, "ledger.ndjson"), "--candles", CANDLES],
      say: (line) => said.push(line),
      signal: new AbortController().signal,
    });
    return { isGood, text: said.join("\n") };
  }

  it("agree, all of them; a planted wrong one is named", async () => {
    const count = MARKETS.length * TRADES_PER_MARKET;
    const outcomes = await database.marketAnalyses.distinct("outcome");
    expect(outcomes.toSorted()).toEqual(["EXPIRED", "LOSS", "WIN"]);
    const honest = await resolveAgain();
    expect(honest.text).toContain(`Resolved again: ${count}: ${count} agree, 0 differ.`);
    expect(honest.isGood).toBe(true);

    await plantWin(database);
    const planted = await resolveAgain();
    expect(planted.isGood).toBe(false);
    expect(planted.text).toContain("Intact:");
    expect(planted.text).toContain(`Resolved again: ${count + 1}: ${count} agree, 1 differ.`);
    const { seq } = await readLedgerHead(database);
    expect(planted.text).toContain(`DIFFERS: record ${seq}, BTC/USDT 1m: outcome is WIN`);
  }, 120_000);
});

async function ledgerOf(database: Database) {
  const { seq } = await readLedgerHead(database);
  return streamLedgerEntries(database, seq, "operator");
}

async function appendAll(database: Database): Promise<void> {
  while ((await appendRecords({ database, now: () => new Date() })) > 0);
}

/** Trades in both directions, with levels of several sizes, all over the recording of a market. */
function tradesOf(user: UserRecord, [symbol, timeframe]: [string, Timeframe]): SignalRecord[] {
  const candles = recordedLibrary()(symbol, timeframe)?.candles ?? [];
  const lengthMs = TIMEFRAME_MS[timeframe];
  const stride = Math.floor((candles.length - 120) / TRADES_PER_MARKET);
  return Array.from({ length: TRADES_PER_MARKET }, (_, index) => {
    const past = candles.slice(index * stride, index * stride + 20);
    const last = past.at(-1);
    const { stop, target } = LEVELS[index % LEVELS.length] ?? { stop: 1, target: 1 };
    if (!last) throw new Error("The recording is too short.");
    const range = past.reduce((sum, { high, low }) => sum + high - low, 0) / past.length;
    const side = index % 2 === 0 ? "BUY" : "SELL";
    const sign = side === "BUY" ? 1 : -1;
    const closedAt = new Date(last.time + lengthMs);
    const analysis = tradeAnalysis(closedAt, {
      final_signal: side,
      entry: last.close - (index % 3 === 0 ? 0 : sign * 0.2 * range),
      stop_loss: last.close - sign * (stop + 0.2) * range,
      take_profit: last.close + sign * target * range,
      hold_candles: 12,
    });
    const source = { ...analysis.source, provider: "recording", price: last.close };
    return {
      ...newSignal(user),
      symbol,
      timeframe,
      createdAt: closedAt,
      finishedAt: new Date(closedAt.getTime() + 7_000),
      analysis: { ...analysis, source },
    };
  });
}

/** Records an outcome as an operator could who controls the whole ledger: a win in place of a loss. */
async function plantWin(database: Database): Promise<void> {
  const lost = await database.marketAnalyses
    .findOne({ outcome: "LOSS", "resolution.reason": "stop", ...PLANTED })
    .orFail()
    .lean();
  const { _id, ledgerSeq, outcomeLedgerSeq, resolution, ...copy } = lost;
  const user = await createUser(database);
  if (!resolution || !copy.result) throw new Error("The trade was not resolved.");
  await createSignals(database, user, {
    symbol: copy.symbol,
    timeframe: copy.timeframe,
    market: { ...copy, resolution: { ...resolution, outcome: "WIN" }, outcome: "WIN" },
  });
  await appendAll(database);
}
