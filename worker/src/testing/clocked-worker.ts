import { DEFAULT_TRADING_COSTS } from "@shared/contract/resolution.ts";
import type { Database } from "@shared/database/database.ts";
import { createLogger } from "@shared/runtime/logger.ts";
import { loadWorkerSettings } from "@shared/runtime/settings.ts";
import { startFakeExchange } from "@shared/testing/fakes/fake-exchange.ts";
import { startFakeOpenAi } from "@shared/testing/fakes/fake-openai.ts";
import { WorkQueue } from "@shared/work/work-queue.ts";
import { NO_EVIDENCE } from "../analysis/evidence/evidence-pack.ts";
import { createAnalyst } from "../analysis/select-analyst.ts";
import { runSchedule } from "../jobs/schedule-analyses.ts";
import { createMarketData } from "../market-data/select-market-data.ts";
import { serveWatchers } from "../signals/fan-out.ts";
import { generateSignals } from "../signals/generate-signal.ts";
import { checkEntries } from "../signals/reuse-analysis.ts";
import type { WorkerDeps } from "../worker-deps.ts";
import { createWorkerMetrics } from "../worker-metrics.ts";

const LOOK_AHEAD_MS = 10_000;

/**
 * The schedule and the queue of a worker in this process, with a fake exchange and AI.
 * @param clock of all of them, in Unix milliseconds; the schedule moves it to what is due within ten seconds
 */
export async function startClockedWorker(
  database: Database,
  clock: { now: number },
  { workerId = "worker" }: { workerId?: string } = {},
) {
  const exchange = await startFakeExchange({ now: () => clock.now });
  const ai = await startFakeOpenAi();
  const settings = loadWorkerSettings({
    MARKET_DATA: "live",
    EXCHANGES: "binance",
    EXCHANGE_URL: exchange.url,
    OPENAI_API_KEY: "sk-test",
    OPENAI_BASE_URL: ai.baseUrl,
  });
  const logger = createLogger({ service: "worker", level: "silent" });
  const market = await createMarketData({ settings, now: () => clock.now, logger });
  const { signal: shutdown } = new AbortController();
  const deps: WorkerDeps = {
    database,
    logger,
    marketData: market.marketData,
    analyst: createAnalyst(settings),
    metrics: createWorkerMetrics(),
    evidence: NO_EVIDENCE,
    tradingCosts: DEFAULT_TRADING_COSTS,
    now: () => new Date(clock.now),
    shutdown,
  };
  const queue = new WorkQueue({
    database,
    logger,
    workerId,
    handlers: [generateSignals(deps, 20), checkEntries(deps), serveWatchers(deps)],
  });
  queue.start();
  const readTime = async () => new Date(clock.now);
  return {
    exchange,
    ai,
    async runSchedule() {
      for (;;) {
        const next = (await runSchedule({ ...deps, minTimeframe: "15m", readTime })).getTime();
        if (next - clock.now > LOOK_AHEAD_MS) return;
        clock.now = next;
      }
    },
    async stop() {
      await queue.stop({ drainMs: 0 });
      market.close();
      await Promise.all([exchange.close(), ai.close()]);
    },
  };
}
