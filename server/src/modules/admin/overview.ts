import type { Overview, Setup } from "@shared/contract/admin.ts";
import { DAY_MS } from "@shared/contract/durations.ts";
import type { UserRecord } from "@shared/database/models/user.ts";
import type { WorkerStatusRecord } from "@shared/database/models/worker-reports.ts";
import { findActiveWorkers } from "@shared/domain/active-workers.ts";
import type { ServerDeps } from "../../server-deps.ts";
import { readOfferedPayments } from "../payments/payment-details.ts";
import { AWAITS_REVIEW, countByApproval } from "../users/list-users.ts";
import { getSystemHealth, hasFailingProvider } from "./system-health.ts";

/** What awaits an administrator, and counts of users. */
export async function getOverview(
  deps: Pick<ServerDeps, "database" | "now" | "feedIsRunning">,
): Promise<Overview> {
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
  deps: Pick<ServerDeps, "database" | "mailer" | "settings">,
  admin: Pick<UserRecord, "twoFactor">,
): Promise<Setup> {
  const [{ usdt, ...details }, workers, email] = await Promise.all([
    readOfferedPayments(deps),
    findActiveWorkers(deps.database),
    deps.mailer.check(),
  ]);
  const isOffered = usdt !== undefined || Object.values(details).some((text) => text.trim() !== "");
  return {
    payment_details: isOffered ? "done" : "missing",
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
