import type { Database } from "@shared/node/database.ts";
import type { UserRecord } from "@shared/node/models/user.ts";
import { loadSettings } from "@shared/node/settings.ts";
import { newSignalId } from "@shared/node/signals/queue-signal.ts";
import { createUser, signTokenFor } from "@shared/testing/factories.ts";
import { percentile } from "./percentiles.ts";
import { printTable } from "./print-table.ts";
import { startProduct } from "./start-product.ts";
import { timeRequests } from "./time-requests.ts";

const TOTALS = [1_000, 50_000] as const;
const BATCH = 10_000;
const REQUESTS = 15;

/** Measures the administrators' list of all users. */
export async function benchUsers(options: { database: Database; uri: string }): Promise<void> {
  const { database } = options;
  const product = await startProduct({ ...options, workers: 0 });
  const { apiUrl, jwtSecret } = product;
  const settings = loadSettings({ JWT_SECRET: jwtSecret, ADMIN_PASSWORD: "not used" });
  const token = signTokenFor(
    await createUser(database, { role: "admin", approved: true }),
    settings,
  );
  const rows = [];
  try {
    for (const total of TOTALS) {
      await growTo(database, total);
      const url = `${apiUrl}/admin/list-users`;
      await timeRequests(3, () => ({ url, token }));
      const { times, bytes, wireBytes } = await timeRequests(REQUESTS, () => ({ url, token }));
      rows.push({
        users: total,
        "p50, ms": percentile(times, 0.5),
        "p95, ms": percentile(times, 0.95),
        "answer, MB": bytes / 2 ** 20,
        "on the wire, MB": wireBytes / 2 ** 20,
      });
    }
    printTable("GET /admin/list-users", rows);
  } finally {
    await product.stop();
  }
}

async function growTo(database: Database, total: number): Promise<void> {
  let count = await database.users.countDocuments();
  while (count < total) {
    const size = Math.min(BATCH, total - count);
    const from = count;
    const users = Array.from({ length: size }, (_, index) => newUser(from + index));
    await database.users.collection.insertMany(users, { ordered: false });
    count += size;
  }
}

function newUser(index: number): UserRecord {
  const username = `bench-user-${index}`;
  const email = `${username}@example.com`;
  const _id = newSignalId();
  return {
    ...{ _id, username, usernameKey: username, email, emailKey: email, emailVerified: true },
    ...{ identityId: _id.toString(), role: "user", approved: true, allowImageUpload: false },
    ...{ imageCredits: 0, sessionVersion: 0, keptSessionId: null, createdAt: new Date() },
    ...{ lastEventSeq: 0, unfinishedSignals: 0 },
  };
}
