import { join } from "node:path";
import { selectMailer } from "@shared/runtime/mailer.ts";
import { BackgroundTasks } from "./background-tasks.ts";
import { createServerMetrics } from "./http/server-metrics.ts";
import { Uploads } from "./http/uploads.ts";
import {
  BuiltinIdentity,
  type PasswordHashing,
} from "./modules/accounts/identity/builtin-identity.ts";
import { FirebaseClient } from "./modules/accounts/identity/firebase-client.ts";
import { FirebaseIdentity } from "./modules/accounts/identity/firebase-identity.ts";
import type {
  AccountDeps,
  IdentityProvider,
} from "./modules/accounts/identity/identity-provider.ts";
import { ImageDecoder } from "./modules/files/image-decoder.ts";
import {
  QueueDashboard,
  type QueueDashboardDeps,
} from "./modules/queue-dashboard/queue-dashboard.ts";
import { readQueueDepth } from "./modules/signals/signal-limits.ts";
import type { SignalDeps } from "./modules/signals/signal-waiters.ts";

/** What all modules need. */
export interface AppDeps extends AccountDeps, QueueDashboardDeps, SignalDeps {}

/** @param options.hashing of passwords, if not the usual one */
export function createDeps(
  options: Pick<
    AppDeps,
    "settings" | "database" | "logger" | "now" | "signalWaiters" | "feedIsRunning"
  > & { hashing?: PasswordHashing },
): AppDeps {
  const { hashing, ...deps } = options;
  const { settings, database, logger, now } = deps;
  const mailer = selectMailer({ settings, logger, now });
  return {
    ...deps,
    mailer,
    identity: selectIdentity({ settings, database, logger, mailer, now, hashing }),
    background: new BackgroundTasks(logger),
    metrics: createServerMetrics({ database, now, readQueueDepth }),
    queueDashboard: new QueueDashboard(database),
    uploads: new Uploads(join(settings.DATA_DIR, "uploads")),
    images: new ImageDecoder(),
  };
}

function selectIdentity(
  deps: Pick<AppDeps, "settings" | "database" | "logger" | "mailer" | "now"> & {
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
