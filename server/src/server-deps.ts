import type { SignalResponse } from "@shared/contract/signal.ts";
import type { Database } from "@shared/node/database.ts";
import type { Logger } from "@shared/node/logger.ts";
import type { Settings } from "@shared/node/settings.ts";
import type { Background } from "./background.ts";
import type { IdentityProvider } from "./identity/identity-provider.ts";
import type { ServerMetrics } from "./metrics/server-metrics.ts";
import type { QueueView } from "./queue-page/queue-view.ts";

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
  background: Background;
  now: () => Date;
  signalWaiters: SignalWaiters;
  metrics: ServerMetrics;
  /** The job queue as administrators see it. */
  queueView: QueueView;
  /** Whether committed events reach this process at the moment. */
  feedIsRunning: () => boolean;
}
