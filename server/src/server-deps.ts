import type { Database } from "@shared/database/database.ts";
import type { ResolveHost } from "@shared/domain/public-address.ts";
import type { RequestOrigin } from "@shared/outbox/security-log.ts";
import type { Logger } from "@shared/runtime/logger.ts";
import type { Mailer } from "@shared/runtime/mailer.ts";
import type { Settings } from "@shared/runtime/settings.ts";
import type { BackgroundTasks } from "./background-tasks.ts";
import type { ServerMetrics } from "./http/server-metrics.ts";
import type { Uploads } from "./http/uploads.ts";
import type { IdentityProvider } from "./modules/accounts/identity/identity-provider.ts";
import type { ImageDecoder } from "./modules/files/image-decoder.ts";
import type { QueueDashboard } from "./modules/queue-dashboard/queue-dashboard.ts";
import type { SignalWaiters } from "./modules/signals/signal-waiters.ts";

/** External dependencies of the server, created once in `startServer`. */
export interface ServerDeps {
  settings: Settings;
  database: Database;
  logger: Logger;
  identity: IdentityProvider;
  mailer: Mailer;
  background: BackgroundTasks;
  now: () => Date;
  /** Of addresses that users give; by default the system's. */
  resolveHost?: ResolveHost;
  signalWaiters: Pick<SignalWaiters, "wait">;
  metrics: ServerMetrics;
  queueDashboard: QueueDashboard;
  uploads: Uploads;
  images: ImageDecoder;
  /** False while committed events do not reach this process. */
  feedIsRunning: () => boolean;
  /** Where the request comes from that they are used for, if any. */
  origin?: RequestOrigin;
}
