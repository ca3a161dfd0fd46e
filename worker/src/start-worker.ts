import { randomBytes } from "node:crypto";
import { hostname } from "node:os";
import { type Database, openDatabase, readTime } from "@shared/database/database.ts";
import {
  ANALYSIS_SETUP_ID,
  type AnalysisSetupRecord,
  HEARTBEAT_TIMEOUT_SECONDS,
} from "@shared/database/models/worker-reports.ts";
import { ChannelSecrets } from "@shared/domain/channel-secrets.ts";
import { createLogger, type Logger } from "@shared/runtime/logger.ts";
import { runService, serveMetrics } from "@shared/runtime/run-service.ts";
import {
  type DeliverySettings,
  loadDeliverySettings,
  readVariable,
  type WorkerSettings,
} from "@shared/runtime/settings.ts";
import { addStandingItems, type WorkHandler } from "@shared/work/work-handler.ts";
import { WorkQueue } from "@shared/work/work-queue.ts";
import type { Analyst } from "./analysis/analyst.ts";
import { createEvidence } from "./analysis/evidence/evidence-pack.ts";
import {
  configuredServer,
  modelServerId,
  storedModelServer,
} from "./analysis/openai/model-server-store.ts";
import { createAnalyst } from "./analysis/select-analyst.ts";
import { type AnalystBench, createBench } from "./analyst-bench/arms.ts";
import { makingBenchAnalyses } from "./analyst-bench/bench-analyses.ts";
import { type BenchFile, readBenchFile } from "./analyst-bench/bench-file.ts";
import { ChosenAnalyst } from "./analyst-bench/chosen-analyst.ts";
import { reportBench } from "./analyst-bench/report-setup.ts";
import { schedulingBench } from "./analyst-bench/schedule-bench.ts";
import { startSenders, stopSenders } from "./delivery/kinds/channel-kinds.ts";
import { passingOn } from "./delivery/pass-on.ts";
import { startDelivery } from "./delivery/start-delivery.ts";
import { EconomicCalendar, NO_EVENTS } from "./economic-events/economic-calendar.ts";
import { recurringJobs } from "./jobs/job-definitions.ts";
import { recurringWork, runAtStart } from "./jobs/recurring-work.ts";
import { schedulingAnalyses } from "./jobs/schedule-analyses.ts";
import { startCandlePublisher } from "./market-data/publish-candles.ts";
import { startListingPublisher } from "./market-data/publish-markets.ts";
import { createMarketData, type MarketDataSelection } from "./market-data/select-market-data.ts";
import { startPrices } from "./prices/price-feeds.ts";
import { startLedgerAppender } from "./record/append-records.ts";
import { serveWatchers, stopBatches } from "./signals/fan-out.ts";
import { generateSignals } from "./signals/generate-signal.ts";
import { checkEntries } from "./signals/reuse-analysis.ts";
import { sendSubscriptionEmails } from "./subscriptions/send-subscription-email.ts";
import { sweepingSubscriptions } from "./subscriptions/sweep-subscriptions.ts";
import type { WorkerDeps } from "./worker-deps.ts";
import { createMailer } from "./worker-mailer.ts";
import { countedAnalyst, createWorkerMetrics } from "./worker-metrics.ts";

/** Running analyses are returned to the queue after this time. */
const DRAIN_MS = 20_000;

export interface WorkerServices {
  market: MarketDataSelection;
  analyst: Analyst;
}

type ServiceDeps = Pick<WorkerDeps, "logger" | "database">;

export const createServices = async (
  settings: WorkerSettings,
  { logger, database }: ServiceDeps,
): Promise<WorkerServices> => ({
  market: await createMarketData({
    settings,
    now: () => database.now().getTime(),
    logger,
    database,
  }),
  analyst: createAnalyst(settings, {
    server: storedModelServer({ database, logger }, configuredServer(settings)),
    logger,
  }),
});

export const runWorker = (
  services: (
    settings: WorkerSettings,
    deps: ServiceDeps,
  ) => WorkerServices | Promise<WorkerServices>,
): Promise<void> =>
  runService("worker", loadDeliverySettings, async (settings, uri) => {
    const logger = createLogger({ service: "worker", level: settings.LOG_LEVEL });
    const benchFile = readBenchFile(settings.BENCH_FILE);
    const database = await openDatabase({ uri });
    const worker = await startWorker({
      settings,
      benchFile,
      database,
      logger,
      services: await services(settings, { logger, database }),
    });
    return {
      logger,
      ready: { concurrency: settings.WORKER_CONCURRENCY },
      async stop() {
        stopBatches(database);
        await worker.stop();
        await database.close();
      },
    };
  });

interface WorkerOptions {
  settings: DeliverySettings;
  benchFile: BenchFile | null;
  database: Database;
  logger: Logger;
  services: WorkerServices;
}

async function startWorker(options: WorkerOptions): Promise<{ stop: () => Promise<void> }> {
  const { settings, database, logger, services } = options;
  const { market } = services;
  const { WORKER_CONCURRENCY: concurrency, WORKER_METRICS_PORT: port } = settings;
  const workerId = `${hostname()}:${process.pid}:${randomBytes(3).toString("hex")}`;
  const bench = options.benchFile && createBench(options.benchFile, { ...options, readVariable });
  const shutdown = new AbortController();
  const calendar = createCalendar(options);
  const { deps, chosen } = createDeps(options, { shutdown: shutdown.signal, calendar, bench });
  const { registry } = deps.metrics;
  const endpoint = port === undefined ? undefined : await serveMetrics({ registry, port, logger });
  await market.probe();
  const jobs = recurringJobs(deps, { market, settings });
  const benchHandlers = bench ? handlersOfBench(deps, bench, market) : [];
  if (!bench) await reportBench(deps, null);
  const handlers = [
    ...workHandlers(deps, settings),
    ...benchHandlers,
    ...recurringWork(deps, jobs),
  ];
  await addStandingItems(database, handlers);
  const queue = new WorkQueue({ database, logger, workerId, handlers });
  const heartbeat = await startHeartbeat({ ...deps, chosen, workerId, concurrency, market });
  const listings = startListingPublisher(deps, market.listedSymbols);
  const candles = startCandlePublisher(deps);
  const prices = startPrices({ ...deps, workerId, market });
  const events = calendar?.keepCurrent();
  const ledger = startLedgerAppender(deps);
  queue.start();
  const delivery = await startChannelDelivery(deps, settings, workerId);
  const atStart = runAtStart(deps, jobs);
  return {
    async stop() {
      listings.stop();
      const stopped = queue.stop({ drainMs: DRAIN_MS });
      await Promise.all([atStart, candles, prices, delivery, events].map((one) => one?.stop()));
      const cut = setTimeout(() => shutdown.abort(new Error("the worker is stopping")), DRAIN_MS);
      await stopped;
      clearTimeout(cut);
      await ledger.stop();
      await heartbeat.stop();
      market.close();
      endpoint?.close();
    },
  };
}

/** Items of kinds without a handler wait for another worker. */
function workHandlers(deps: WorkerDeps, settings: DeliverySettings): WorkHandler[] {
  const { logger } = deps;
  const mailer = createMailer({ ...deps, settings });
  if (!mailer) logger.error("no emails are sent: SMTP_URL is not set");
  return [
    generateSignals(deps, settings.WORKER_CONCURRENCY),
    checkEntries(deps),
    schedulingAnalyses({
      ...deps,
      get analyst() {
        return deps.analyst;
      },
      minTimeframe: settings.WATCH_MIN_TIMEFRAME,
    }),
    serveWatchers(deps),
    sweepingSubscriptions(deps),
    ...passingOn({ ...deps, settings }),
    ...(mailer ? [sendSubscriptionEmails({ ...deps, mailer, settings })] : []),
  ];
}

const handlersOfBench = (
  deps: WorkerDeps,
  bench: AnalystBench,
  { currentSource }: MarketDataSelection,
): WorkHandler[] => [
  schedulingBench({ ...deps, bench, currentSource }),
  makingBenchAnalyses({ ...deps, bench }),
];

/** `model` is that of the records, `modelServer` the id of what is known of its server. */
const analystSetup = ({ name }: Analyst, settings: DeliverySettings) =>
  name === "openai"
    ? { model: settings.OPENAI_MODEL, modelServer: modelServerId(configuredServer(settings))._id }
    : { model: name };

/** Without the key, the addresses of channels cannot be read; signals are made all the same. */
async function startChannelDelivery(
  deps: WorkerDeps,
  settings: DeliverySettings,
  workerId: string,
) {
  const { database, logger } = deps;
  const { CHANNEL_SECRET: secret } = settings;
  if (secret === undefined) {
    logger.error("nothing is delivered to channels: CHANNEL_SECRET is not set");
    return;
  }
  const shared = {
    ...deps,
    settings,
    workerId,
    random: Math.random,
    secrets: new ChannelSecrets(secret),
    readTime: () => readTime(database),
  };
  const policy = { allowPrivate: settings.WEBHOOK_ALLOW_PRIVATE === "on" };
  const senders = startSenders({ ...shared, policy });
  const delivery = await startDelivery({ ...shared, senders });
  return {
    async stop() {
      await delivery.stop();
      await stopSenders(senders);
    },
  };
}

interface MadeBefore {
  bench: AnalystBench | null;
  calendar: EconomicCalendar | null;
  shutdown: AbortSignal;
}

function createDeps(
  { settings, database, logger, services }: WorkerOptions,
  { calendar, shutdown, bench }: MadeBefore,
): { deps: WorkerDeps; chosen: ChosenAnalyst } {
  const { marketData, derivatives } = services.market;
  const events = calendar ?? NO_EVENTS;
  const metrics = createWorkerMetrics(services.market.health);
  const wrap = (analyst: Analyst) => countedAnalyst(analyst, metrics, shutdown);
  const ofSettings = {
    ...analystSetup(services.analyst, settings),
    analyst: wrap(services.analyst),
  };
  const chosen = new ChosenAnalyst({
    ...{ database, logger, ofSettings, wrap },
    arms: bench?.arms ?? [],
  });
  const deps = {
    database,
    logger,
    marketData,
    get analyst() {
      return chosen.current.analyst;
    },
    metrics,
    evidence: createEvidence({ marketData, derivatives, events, guard: settings.EVENT_GUARD }),
    tradingCosts: settings.TRADING_COSTS,
    budgetUsdPerDay: settings.OPENAI_BUDGET_USD_PER_DAY,
    now: database.now,
    shutdown,
  };
  return { deps, chosen };
}

/** Null if no events are to be read. */
function createCalendar({ settings, database, logger }: WorkerOptions): EconomicCalendar | null {
  const { EVENTS_URL: url } = settings;
  return url === "off" ? null : new EconomicCalendar({ database, logger, url });
}

/**
 * Workers of two versions, as during a deployment, make analyses in different ways. That of the worker which started last
 * counts while it is active, so that the two do not alternate.
 */
async function reportSetup(
  { analysisSetup }: Database,
  setup: Omit<AnalysisSetupRecord, "_id" | "reportedAt"> & { startedAt: Date },
): Promise<void> {
  const expiredAt = { $subtract: ["$$NOW", HEARTBEAT_TIMEOUT_SECONDS * 1_000] };
  const counts = {
    $or: [{ $lte: ["$startedAt", setup.startedAt] }, { $lt: ["$reportedAt", expiredAt] }],
  };
  const own = { $mergeObjects: [{ $literal: setup }, { _id: "$_id", reportedAt: "$$NOW" }] };
  await analysisSetup.updateOne(
    { _id: ANALYSIS_SETUP_ID },
    [{ $replaceWith: { $cond: [counts, own, "$$ROOT"] } }],
    { upsert: true, updatePipeline: true },
  );
}

const REPORT_INTERVAL_MS = 10_000;

/** Reports this worker as active, with the time of the database because the clocks of workers differ. */
export async function startHeartbeat(options: {
  workerId: string;
  database: Database;
  logger: Logger;
  now: () => Date;
  chosen: Pick<ChosenAnalyst, "current" | "refresh">;
  concurrency: number;
  market: Pick<MarketDataSelection, "currentSource" | "health">;
}): Promise<{ stop: () => Promise<void> }> {
  const { workerId: _id, database, logger, chosen, concurrency, market } = options;
  const startedAt = options.now();
  const report = async () => {
    await chosen.refresh();
    const { analyst, model, modelServer } = chosen.current;
    const data = market.currentSource();
    const setup = { data, analyst: analyst.name, analystVersion: analyst.version, model };
    await reportSetup(database, { ...setup, startedAt });
    const providers = market.health().map(({ failures: _failures, ...health }) => health);
    const fields = { marketData: data, analyst: analyst.name, ...(modelServer && { modelServer }) };
    const status = { $literal: { ...fields, concurrency, providers, startedAt } };
    await database.workerStatuses.updateOne(
      { _id },
      [{ $replaceWith: { $mergeObjects: [status, { _id, seenAt: "$$NOW" }] } }],
      { upsert: true, updatePipeline: true },
    );
  };
  await report();
  const timer = setInterval(() => {
    report().catch((error: unknown) => logger.warn({ err: error }, "could not report as active"));
  }, REPORT_INTERVAL_MS);
  return {
    async stop() {
      clearInterval(timer);
      await database.workerStatuses.deleteOne({ _id });
    },
  };
}
