import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Candle } from "@shared/contract/market-data.ts";
import { type Database, openDatabase } from "@shared/database/database.ts";
import { testDatabaseUri } from "@shared/testing/test-mongo.ts";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { completeCandles } from "../../worker/src/testing/plain-outcome.ts";
import { resolveUnderWeather } from "../../worker/src/testing/weather-run.ts";
import {
  type WeatherScenario,
  weatherScenario,
} from "../../worker/src/testing/weather-scenario.ts";
import { runVerifyLedger } from "./run-verify-ledger.ts";

/** Among them are markets that are delisted, with another provider that goes on and without one. */
const SEEDS = [1, 2, 3, 4, 8, 10, 11, 12];

describe("outcomes that were decided in bad weather, resolved again", () => {
  const uri = testDatabaseUri();
  let database: Database;
  let folder: string;
  beforeAll(async () => {
    database = await openDatabase({ uri });
    folder = mkdtempSync(join(tmpdir(), "verify-weather-"));
  });
  afterAll(async () => {
    await database.close();
    rmSync(folder, { recursive: true });
  });

  it("agree, all of them, by the complete candles of their providers", async () => {
    const scenarios = SEEDS.map(weatherScenario);
    const count = scenarios.flatMap(({ trades }) => trades).length;
    expect(await resolveUnderWeather(database, scenarios)).toEqual([]);
    const reasons = await database.marketAnalyses.distinct("resolution.reason");
    expect(reasons).toEqual(expect.arrayContaining(["hold-over", "no-data", "stop", "target"]));
    const changed = { "resolution.provider_changed": true } as const;
    expect(await database.marketAnalyses.countDocuments(changed)).toBeGreaterThan(0);

    for (const scenario of scenarios) writeCandles(folder, scenario);
    const { isGood, text } = await verifyOwn("--candles", folder);
    expect(text).toContain(`Intact: ${2 * count} records.`);
    expect(text).toContain(`Resolved again: ${count}: ${count} agree, 0 differ.`);
    expect(isGood).toBe(true);
  });

  async function verifyOwn(...args: string[]) {
    for (const [name, value] of Object.entries({ DATA_DIR: folder, MONGODB_URI: uri })) {
      vi.stubEnv(name, value);
    }
    const said: string[] = [];
    const signal = new AbortController().signal;
    const isGood = await runVerifyLedger({ args, say: (line) => said.push(line), signal });
    return { isGood, text: said.join("\n") };
  }
});

/** All candles of each provider, as anybody can export them later. */
function writeCandles(folder: string, scenario: WeatherScenario): void {
  const { symbol, timeframe, minutes, weather } = scenario;
  for (const [provider, traded] of Object.entries(minutes)) {
    const priced = traded.map((minute) => weather.priced(provider, minute));
    for (const length of new Set(["1m", timeframe] as const)) {
      const name = `${provider}.${symbol.replace("/", "-")}.${length}.csv`;
      writeFileSync(join(folder, name), csvOf(completeCandles(priced, length)));
    }
  }
}

const csvOf = (candles: readonly Candle[]): string =>
  [
    "time,open,high,low,close,volume",
    ...candles.map(({ time, open, high, low, close, volume }) =>
      [time, open, high, low, close, volume].join(),
    ),
  ].join("\n");
