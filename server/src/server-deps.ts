import type { Database } from "@shared/database/database.ts";
import type { ResolveHost } from "@shared/domain/public-address.ts";
import type { Logger } from "@shared/runtime/logger.ts";
import type { Mailer } from "@shared/runtime/mailer.ts";
import type { Settings } from "@shared/runtime/settings.ts";
import type { BackgroundTasks } from "./background-tasks.ts";
import type { ServerMetrics } from "./http/server-metrics.ts";
import type { Uploads } from "./http/uploads.ts";

/** What all parts of the server share, created once by `createDeps`. A module that needs more extends it beside what it needs. */
export interface ServerDeps {
  settings: Settings;
  database: Database;
  logger: Logger;
  mailer: Mailer;
  background: BackgroundTasks;
  now: () => Date;
  /** Of addresses that users give; by default the system's. */
  resolveHost?: ResolveHost;
  metrics: ServerMetrics;
  uploads: Uploads;
  /** False while committed events do not reach this process. */
  feedIsRunning: () => boolean;
}
