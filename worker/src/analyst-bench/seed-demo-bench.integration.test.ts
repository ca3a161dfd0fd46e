import { DEFAULT_TRADING_COSTS } from "@shared/contract/resolution.ts";
import { type Database, openDatabase } from "@shared/database/database.ts";
import { verifyDatabase } from "@shared/domain/ledger.ts";
import { testDatabaseUri } from "@shared/testing/test-mongo.ts";
import { afterAll, beforeAll, expect, it } from "vitest";
import { createReplayMarketData } from "../market-data/replay/replay-market-data.ts";
import { silentLogger } from "../testing/fakes.ts";
import { seedDemoBench } from "./seed-demo-bench.ts";

let database: Database;
beforeAll(async () => {
  database = await openDatabase({ uri: testDatabaseUri() });
});
afterAll(() => database.close());

it("a demo has a bench of the built-in arms, made once and labelled as demo", async () => {
  const deps = {
    database,
    logger: silentLogger,
    now: database.now,
    tradingCosts: DEFAULT_TRADING_COSTS,
    replay: createReplayMarketData({ now: () => database.now().getTime() }),
    candlesPerMarket: 10,
    abort: new AbortController().signal,
  };
  await Promise.all([seedDemoBench(deps), seedDemoBench(deps)]);
  await seedDemoBench(deps);
  expect(await database.shadowAnalyses.countDocuments()).toBe(4 * 4 * 10);
  expect(await database.marketAnalyses.countDocuments()).toBe(0);
  const report = await database.benchReports.findOne().lean();
  expect(report?.details.is_demo).toBe(true);
  expect(report?.bench.arms.map(({ id, analyses }) => [id, analyses])).toEqual([
    ["rules", 40],
    ["donchian-20", 40],
    ["momentum-100", 40],
    ["random", 40],
  ]);
  expect(report?.bench.arms.at(2)?.decided).toBeGreaterThan(10);
  expect(report?.bench.pairs.some(({ common }) => common > 20)).toBe(true);
  const records = await database.ledger.find().lean();
  for (const { body } of records) expect(body.demo_record).toBe(true);
  expect((await verifyDatabase(database)).fault).toBeNull();
});
