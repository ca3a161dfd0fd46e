import type { Database } from "@shared/database/database.ts";
import type { ChannelSecrets } from "@shared/runtime/channel-secrets.ts";
import type { Logger } from "@shared/runtime/logger.ts";
import type { DeliverySettings } from "@shared/runtime/settings.ts";
import type { WorkerMetrics } from "../metrics/worker-metrics.ts";
import type { ChannelSenders } from "./channel-sender.ts";

export interface DeliveryDeps {
  database: Database;
  logger: Logger;
  settings: Pick<DeliverySettings, "NODE_ENV" | "VITE_API_URL">;
  secrets: ChannelSecrets;
  senders: ChannelSenders;
  metrics: Pick<WorkerMetrics, "deliveryAttempted">;
  /** The time that all workers share: that of the database. */
  readTime: () => Promise<Date>;
  /** From 0 to 1, for the jitter of retries. */
  random: () => number;
  workerId: string;
  attemptTimeoutMs?: number;
}
