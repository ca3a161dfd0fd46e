import type { SignalResponse } from "@shared/contract/signal.ts";
import type { Database } from "@shared/database/database.ts";
import type { Logger } from "@shared/runtime/logger.ts";
import type { Settings } from "@shared/runtime/settings.ts";
import type { ServerMetrics } from "./http/server-metrics.ts";
import type { BackgroundTasks } from "./modules/accounts/background-tasks.ts";
import type { IdentityProvider } from "./modules/accounts/identity/identity-provider.ts";
import type { QueueDashboard } from "./modules/queue-dashboard/queue-dashboard.ts";

/** Lets a request wait for the worker to finish a signal. */
export interface SignalWaiters {
  /** Resolves to the signal when it finishes, to null when `timeoutMs` ran out or `abort` fired. */
  wait(
    signalId: string,
    options: { timeoutMs: number; abort: AbortSignal },
  ): Promise<SignalResponse | null>;
}

/** Everything outside itself that the server works with; `main.ts` makes it once. */
export interface ServerDeps {
  settings: Settings;
  database: Database;
  logger: Logger;
  identity: IdentityProvider;
  background: BackgroundTasks;
  now: () => Date;
  signalWaiters: SignalWaiters;
  metrics: ServerMetrics;
  /** The job queue as administrators see it. */
  queueDashboard: QueueDashboard;
  /** Whether committed events reach this process at the moment. */
  feedIsRunning: () => boolean;
}
