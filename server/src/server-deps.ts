import { join } from "node:path";
import type { Database } from "@shared/database/database.ts";
import type { ResolveHost } from "@shared/domain/public-address.ts";
import type { RequestOrigin } from "@shared/outbox/security-log.ts";
import type { Logger } from "@shared/runtime/logger.ts";
import { type Mailer, selectMailer } from "@shared/runtime/mailer.ts";
import type { Settings } from "@shared/runtime/settings.ts";
import { isDatabaseUnavailable } from "./http/database-errors.ts";
import { createServerMetrics, type ServerMetrics } from "./http/server-metrics.ts";
import { Uploads } from "./http/uploads.ts";
import {
  BuiltinIdentity,
  type PasswordHashing,
} from "./modules/accounts/identity/builtin-identity.ts";
import { FirebaseClient } from "./modules/accounts/identity/firebase-client.ts";
import { FirebaseIdentity } from "./modules/accounts/identity/firebase-identity.ts";
import type { IdentityProvider } from "./modules/accounts/identity/identity-provider.ts";
import { ImageDecoder } from "./modules/files/image-decoder.ts";
import { QueueDashboard } from "./modules/queue-dashboard/queue-dashboard.ts";
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

/** @param given.hashing of passwords, if not the usual one */
export function createDeps(
  given: Pick<
    ServerDeps,
    "settings" | "database" | "logger" | "now" | "signalWaiters" | "feedIsRunning"
  > & { hashing?: PasswordHashing },
): ServerDeps {
  const { hashing, ...deps } = given;
  const { settings, database, logger, now } = deps;
  const mailer = selectMailer({ settings, logger, now });
  return {
    ...deps,
    mailer,
    identity: selectIdentity({ settings, database, logger, mailer, now, hashing }),
    background: new BackgroundTasks(logger),
    metrics: createServerMetrics({ database, now }),
    queueDashboard: new QueueDashboard(database),
    uploads: new Uploads(join(settings.DATA_DIR, "uploads")),
    images: new ImageDecoder(),
  };
}

function selectIdentity(
  deps: Pick<ServerDeps, "settings" | "database" | "logger" | "mailer" | "now"> & {
    hashing?: PasswordHashing | undefined;
  },
): IdentityProvider {
  const { settings, database, logger, mailer, now, hashing } = deps;
  if (settings.IDENTITY_PROVIDER === "firebase") {
    const client = new FirebaseClient({
      apiKey: settings.FIREBASE_API_KEY ?? "",
      baseUrl: settings.FIREBASE_AUTH_URL,
    });
    return new FirebaseIdentity({ client, database, secret: settings.JWT_SECRET, logger });
  }
  const [webUrl = settings.VITE_API_URL] = settings.CLIENT_ORIGIN;
  return new BuiltinIdentity({ database, mailer, webUrl, now, hashing });
}

/** Work that continues after its request has been answered. Failures are logged. */
class BackgroundTasks {
  readonly #logger: Logger;
  readonly #running = new Set<Promise<void>>();
  #isStopping = false;

  constructor(logger: Logger) {
    this.#logger = logger;
  }

  run(name: string, work: () => Promise<unknown>): void {
    const running: Promise<void> = this.#finish(name, work).finally(() =>
      this.#running.delete(running),
    );
    this.#running.add(running);
  }

  async settled(): Promise<void> {
    while (this.#running.size > 0) await Promise.all(this.#running);
  }

  /** Long tasks end early if it is true. */
  get isStopping(): boolean {
    return this.#isStopping;
  }

  /** Resolves when no task is running, which is soon. */
  stop(): Promise<void> {
    this.#isStopping = true;
    return this.settled();
  }

  async #finish(name: string, work: () => Promise<unknown>): Promise<void> {
    try {
      await work();
    } catch (error) {
      // The requests that fail report an outage.
      const level = isDatabaseUnavailable(error) ? "warn" : "error";
      this.#logger[level]({ err: error }, `${name} failed`);
    }
  }
}
