import type {
  Overview,
  ProviderReport,
  Setup,
  SystemHealth,
  SystemProblem,
  WorkerReport,
} from "@shared/contract/admin.ts";
import { DAY_MS } from "@shared/contract/constants.ts";
import type { Database } from "@shared/database/database.ts";
import type { ModelServerRecord } from "@shared/database/models/model-server.ts";
import { AWAITS_REVIEW } from "@shared/database/models/payment.ts";
import type { UserRecord } from "@shared/database/models/user.ts";
import type {
  ProviderHealthRecord,
  WorkerStatusRecord,
} from "@shared/database/models/worker-reports.ts";
import { productVersion } from "@shared/runtime/settings.ts";
import { findActiveWorkers } from "@shared/work/active-workers.ts";
import type { ServerDeps } from "../../server-deps.ts";
import { hasContact } from "../branding/branding.ts";
import { countPriceFeeds } from "../markets/price-feeds.ts";
import { readOfferedPayments } from "../payments/payment-details.ts";
import { readQueueDepth } from "../signals/signal-limits.ts";
import { countByApproval } from "../users/list-users.ts";
import { presentModel, readModelServers } from "./model-servers.ts";

/** What awaits an administrator, and counts of users. */
export async function getOverview(deps: ServerDeps): Promise<Overview> {
  const { paymentProofs, signals } = deps.database;
  const since = new Date(deps.now().getTime() - DAY_MS);
  const [approved, pending, proofs, failed, { problems }] = await Promise.all([
    countByApproval(deps.database, true),
    countByApproval(deps.database, false),
    paymentProofs.countDocuments(AWAITS_REVIEW),
    signals.countDocuments({ status: "failed", updatedAt: { $gte: since } }),
    getSystemHealth(deps),
  ]);
  return { users: approved + pending, pending, proofs, problems, failed_signals: failed };
}

/** State of the steps after the installation. The workers report whether they have keys, because servers may have none. */
export async function getSetup(
  deps: ServerDeps,
  admin: Pick<UserRecord, "twoFactor">,
): Promise<Setup> {
  const [{ usdt, ...details }, isReachable, workers, email] = await Promise.all([
    readOfferedPayments(deps),
    hasContact(deps),
    findActiveWorkers(deps.database),
    deps.mailer.check(),
  ]);
  const isOffered = usdt !== undefined || Object.values(details).some((text) => text.trim() !== "");
  return {
    payment_details: isOffered ? "done" : "missing",
    contact: isReachable ? "done" : "missing",
    ...checkWorkers(workers),
    email,
    two_factor: admin.twoFactor ? "done" : "off",
  };
}

function checkWorkers(
  workers: readonly WorkerStatusRecord[],
): Pick<Setup, "analyst" | "market_data"> {
  if (workers.length === 0) return { analyst: "no-worker", market_data: "no-worker" };
  const hasKey = workers.every(({ analyst }) => analyst === "openai");
  return { analyst: hasKey ? "done" : "no-key", market_data: checkMarketData(workers) };
}

function checkMarketData(workers: readonly WorkerStatusRecord[]): Setup["market_data"] {
  if (workers.some(({ marketData }) => marketData === "replay")) return "demo-data";
  return workers.some(hasFailingProvider) ? "failing" : "done";
}

export async function getSystemHealth(deps: ServerDeps): Promise<SystemHealth> {
  const now = deps.now();
  const [queue, reports, pauses, prices, servers] = await Promise.all([
    readQueueDepth(deps.database, now),
    findActiveWorkers(deps.database),
    readPauses(deps.database),
    countPriceFeeds(deps.database),
    readModelServers(deps.database),
  ]);
  const workers = reports.map((worker) => withPauses(worker, pauses));
  const feedIsRunning = deps.feedIsRunning();
  return {
    checked_at: now.toISOString(),
    problems: findProblems({ queue, workers, feedIsRunning, prices, servers }),
    queue: {
      waiting: queue.waiting,
      running: queue.running,
      oldest_waiting_seconds: queue.oldestWaitingSeconds,
    },
    workers: workers.map((worker) => presentWorker(worker, pauses)),
    models: servers.map(presentModel),
    prices,
    server: {
      event_feed: feedIsRunning ? "running" : "interrupted",
      version: productVersion(),
    },
  };
}

/** Longer waits mean that the workers do not keep up. */
const BACKLOG_SECONDS = 20;

function findProblems(state: {
  queue: { oldestWaitingSeconds: number };
  workers: readonly WorkerStatusRecord[];
  feedIsRunning: boolean;
  prices: SystemHealth["prices"];
  servers: readonly ModelServerRecord[];
}): SystemProblem[] {
  const { queue, workers, feedIsRunning, prices, servers } = state;
  const problems: SystemProblem[] = [];
  if (workers.length === 0) problems.push("no-worker");
  if (!feedIsRunning) problems.push("feed-interrupted");
  if (queue.oldestWaitingSeconds > BACKLOG_SECONDS) problems.push("backlog");
  if (workers.some(hasFailingProvider)) problems.push("provider-failing");
  if (prices.fallback > 0) problems.push("price-feed-lost");
  if (servers.some(needsAttention)) problems.push("model");
  return problems;
}

const hasFailingProvider = ({ providers }: Pick<WorkerStatusRecord, "providers">): boolean =>
  providers.some(({ state }) => state !== "ok");

const needsAttention = ({ fault, listing }: ModelServerRecord): boolean =>
  fault !== undefined || (listing?.notices.length ?? 0) > 0;

type Pauses = ReadonlyMap<string, Date>;

/** Providers that all workers leave alone now, and until when. */
async function readPauses({ providerPauses }: Database): Promise<Pauses> {
  const current = { $expr: { $gt: ["$until", "$$NOW"] } };
  const pauses = await providerPauses.find(current).lean();
  return new Map(pauses.map(({ _id, until }) => [_id, until]));
}

/** A worker learns of a pause with its next request to the provider. */
const withPauses = (worker: WorkerStatusRecord, pauses: Pauses): WorkerStatusRecord => ({
  ...worker,
  providers: worker.providers.map((health) =>
    pauses.has(health.provider) ? { ...health, state: "resting" } : health,
  ),
});

function presentWorker(worker: WorkerStatusRecord, pauses: Pauses): WorkerReport {
  return {
    id: worker._id,
    started_at: worker.startedAt.toISOString(),
    seen_at: worker.seenAt.toISOString(),
    concurrency: worker.concurrency,
    market_data: worker.marketData,
    analyst: worker.analyst,
    providers: worker.providers.map((health) => presentProvider(health, pauses)),
  };
}

function presentProvider(health: ProviderHealthRecord, pauses: Pauses): ProviderReport {
  const { provider, state, lastSuccessAt, lastFailure } = health;
  return {
    provider,
    state,
    last_success_at: lastSuccessAt?.toISOString() ?? null,
    last_failure: lastFailure && {
      failure: lastFailure.failure,
      at: lastFailure.at.toISOString(),
    },
    paused_until: pauses.get(provider)?.toISOString() ?? null,
  };
}
