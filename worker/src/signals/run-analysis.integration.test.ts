import { DEFAULT_TRADING_COSTS } from "@shared/contract/resolution.ts";
import { signalRequestSchema } from "@shared/contract/signal.ts";
import { type Database, openDatabase } from "@shared/database/database.ts";
import { newSignalId, queueSignal } from "@shared/domain/queue-signal.ts";
import { commit } from "@shared/outbox/commit.ts";
import { createLogger } from "@shared/runtime/logger.ts";
import { createUser } from "@shared/testing/factories.ts";
import { startRun } from "@shared/testing/signal-factory.ts";
import { testDatabaseUri } from "@shared/testing/test-mongo.ts";
import { afterAll, beforeAll, expect, it } from "vitest";
import { NO_EVIDENCE } from "../analysis/evidence/evidence-pack.ts";
import { rulesAnalyst } from "../analysis/rules/rules-analyst.ts";
import { memoryMarketData } from "../testing/fakes.ts";
import { createWorkerMetrics } from "../worker-metrics.ts";
import { runAnalysis } from "./run-analysis.ts";

let database: Database;
beforeAll(async () => {
  const uri = new URL(testDatabaseUri());
  uri.searchParams.set("monitorCommands", "true");
  database = await openDatabase({ uri: uri.href });
});
afterAll(() => database.close());

async function startedSignal() {
  const user = await createUser(database, { approved: true });
  const id = newSignalId();
  const request = signalRequestSchema.parse({ symbol: "BTC/USDT", timeframe: "1h" });
  const signal = await commit(database, { lockKeys: id.toString() }, (uow) =>
    queueSignal(database, uow, { id, userId: user._id, request }),
  );
  const run = await startRun(database, signal);
  if (!run) throw new Error("the signal could not be started");
  return run;
}

it("ends as stored when its lock is found deleted just as its result is committed", async () => {
  const run = await startedSignal();
  const abort = new AbortController();
  const client = database.connection.getClient();
  client.on("commandSucceeded", ({ commandName }) => {
    if (commandName === "commitTransaction") abort.abort(new Error("The job was taken over."));
  });
  const logLines: string[] = [];
  const write = (line: string) => void logLines.push(line);
  const deps = {
    database,
    logger: createLogger({ service: "test", level: "info", destination: { write } }),
    marketData: memoryMarketData({}),
    analyst: rulesAnalyst,
    metrics: createWorkerMetrics(),
    evidence: NO_EVIDENCE,
    tradingCosts: DEFAULT_TRADING_COSTS,
    now: () => new Date(),
    shutdown: abort.signal,
  };
  await runAnalysis(deps, run, abort.signal);
  expect(abort.signal.aborted).toBe(true);
  expect((await database.signals.findOne({ analysisId: run._id }).lean())?.status).toBe("failed");
  expect(logLines.some((line) => line.includes("analysis finished"))).toBe(true);
  expect(logLines.some((line) => line.includes("could not store"))).toBe(false);
});
