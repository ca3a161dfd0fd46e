import { createUser, signTokenFor } from "@shared/testing/factories.ts";
import {
  type BenchOptions,
  copyUsers,
  percentile,
  printTable,
  startProduct,
} from "./start-product.ts";

const USERS = 50_000;
const BATCH = 10_000;
const REQUESTS = 100;
/** First pages. Every name and address contains "user", none "nobody". */
const PAGES = ["", "&status=pending", "&search=user", "&search=nobody"];

/** Measures first pages of the list of users, one request at a time. */
export async function benchUsers({ database, uri }: BenchOptions): Promise<void> {
  const product = await startProduct({ uri, workers: 0 });
  const admin = await createUser(database, { role: "admin", approved: true });
  const headers = { authorization: `Bearer ${signTokenFor(admin, product.settings)}` };
  const template = await createUser(database);
  for (let count = 0; count < USERS; count += BATCH) {
    await database.users.collection.insertMany(copyUsers(template, BATCH), { ordered: false });
  }
  try {
    const rows = [];
    for (const page of PAGES) {
      const url = `${product.apiUrl}/admin/list-users?limit=50${page}`;
      const timesMs = await timeRequests(url, headers);
      const row = { "p50, ms": percentile(timesMs, 0.5), "p95, ms": percentile(timesMs, 0.95) };
      rows.push({ page: `limit=50${page}`, ...row });
    }
    printTable(`GET /admin/list-users, ${USERS} users`, rows);
  } finally {
    await product.stop();
  }
}

async function timeRequests(url: string, headers: Record<string, string>): Promise<number[]> {
  const timesMs: number[] = [];
  for (let count = 0; count < REQUESTS; count++) {
    const startedAt = performance.now();
    const response = await fetch(url, { headers });
    await response.arrayBuffer();
    timesMs.push(performance.now() - startedAt);
    if (!response.ok) throw new Error(`${url} answered ${response.status}`);
  }
  return timesMs;
}
