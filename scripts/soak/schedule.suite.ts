import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { HOUR_MS } from "@shared/contract/constants.ts";
import { PRODUCT_SYMBOLS } from "@shared/contract/instruments.ts";
import { type Database, openDatabase } from "@shared/database/database.ts";
import { lastCandleClose } from "@shared/domain/queue-analysis.ts";
import { createUser, createWatchlistItem } from "@shared/testing/factories.ts";
import { expect, it } from "vitest";
import { startClockedWorker } from "../../worker/src/testing/clocked-worker.ts";
import { UNFINISHED } from "../faults/harness/harness.ts";
import { ReplicaSet } from "../faults/harness/processes.ts";
import { until } from "../faults/harness/until.ts";

const QUARTER_MS = 15 * 60_000;
const HOURS = 24;
/** Crypto trades around the clock. */
const SYMBOLS = PRODUCT_SYMBOLS.filter((symbol) => symbol.endsWith("/USDT"));
const TIMEFRAMES = ["15m", "30m", "1h", "4h"] as const;
const WATCHERS = 5;
/** Until then, code is compiled and caches are filled. */
const WARM_UP_HOURS = 4;
/** In the 20 hours after that. A leak of one analysis's candles per analysis would be four times as much. */
const MAX_GROWTH_MB = 10;

it(`the memory of a schedule stays flat over ${HOURS} hours of closes`, async () => {
  const mongo = await ReplicaSet.launch(1);
  const database = await openDatabase({ uri: mongo.uri("the-test") });
  const startedAt = lastCandleClose("4h", new Date()).getTime() + 4 * HOUR_MS;
  const clock = { now: startedAt };
  const worker = await startClockedWorker(database, clock);
  try {
    await watchAll(database);
    const heapMb: number[] = [];
    for (let quarter = 0; quarter < (HOURS * HOUR_MS) / QUARTER_MS; quarter += 1) {
      clock.now = startedAt + quarter * QUARTER_MS;
      await worker.runSchedule();
      await until(() => isIdle(database), { what: "all signals of a close" });
      worker.ai.reset();
      worker.exchange.reset();
      if (((quarter + 1) * QUARTER_MS) % HOUR_MS === 0) heapMb.push(measureHeapMb());
    }
    const analyses = await database.marketAnalyses.countDocuments({ status: "completed" });
    const signals = await database.signals.countDocuments();
    console.log({ analyses, signals, heapMb: heapMb.map(Math.round).join(" ") });
    const ofDay = (lengthMs: number) => (HOURS * HOUR_MS) / lengthMs;
    const closes = [1, 2, 4, 16].map((quarters) => ofDay(quarters * QUARTER_MS));
    const expected = SYMBOLS.length * closes.reduce((sum, count) => sum + count, 0);
    expect(analyses).toBe(expected);
    expect(signals).toBe(WATCHERS * expected);
    const growthMb = (heapMb.at(-1) ?? Number.NaN) - (heapMb[WARM_UP_HOURS - 1] ?? Number.NaN);
    expect(growthMb).toBeLessThan(MAX_GROWTH_MB);
  } finally {
    await worker.stop();
    await database.close();
    await mongo.remove();
  }
}, 1_800_000);

async function isIdle({ marketAnalyses }: Database): Promise<boolean> {
  if (await marketAnalyses.exists(UNFINISHED)) return false;
  return (await marketAnalyses.exists({ "fanOut.after": { $exists: true } })) === null;
}

async function watchAll(database: Database): Promise<void> {
  for (let index = 0; index < WATCHERS; index += 1) {
    const user = await createUser(database, { approved: true });
    for (const symbol of SYMBOLS) {
      for (const timeframe of TIMEFRAMES) {
        await createWatchlistItem(database, user, { symbol, timeframe });
      }
    }
  }
}

/** After a full collection of garbage. */
function measureHeapMb(): number {
  setFlagsFromString("--expose-gc");
  runInNewContext("gc")();
  return process.memoryUsage().heapUsed / 2 ** 20;
}
