import type { Database } from "@shared/database/database.ts";
import { createUser, signTokenFor } from "@shared/testing/factories.ts";
import {
  type BenchOptions,
  copyUsers,
  percentile,
  printTable,
  startProduct,
} from "./start-product.ts";

const USER_COUNTS = [1_000, 50_000];
const BATCH = 10_000;
const LIST_REQUESTS = 15;
const PAGE_REQUESTS = 100;
/** All users at once, and first pages. Every name and address contains "user", none "nobody". */
const USER_LISTS = [
  "",
  "?limit=50",
  "?limit=50&status=pending",
  "?limit=50&search=user",
  "?limit=50&search=nobody",
];

export async function benchUsers({ database, uri }: BenchOptions): Promise<void> {
  const product = await startProduct({ uri, workers: 0 });
  const admin = await createUser(database, { role: "admin", approved: true });
  const token = signTokenFor(admin, product.settings);
  const lists = USER_LISTS.map((query) => ({
    query,
    requests: [{ url: `${product.apiUrl}/admin/list-users${query}`, token }],
  }));
  const rows = [];
  try {
    for (const total of USER_COUNTS) {
      await addUsers(database, total);
      for (const { query, requests } of lists) {
        await timeRequests(requests, 3);
        const times = await timeRequests(requests, query ? PAGE_REQUESTS : LIST_REQUESTS);
        rows.push({
          users: total,
          list: query || "all",
          "p50, ms": percentile(times, 0.5),
          "p95, ms": percentile(times, 0.95),
        });
      }
    }
    printTable("GET /admin/list-users", rows);
  } finally {
    await product.stop();
  }
}

async function addUsers(database: Database, total: number): Promise<void> {
  const template = await createUser(database);
  let count = await database.users.countDocuments();
  while (count < total) {
    const users = copyUsers(template, Math.min(BATCH, total - count));
    await database.users.collection.insertMany(users, { ordered: false });
    count += users.length;
  }
}

interface ReadRequest {
  url: string;
  token: string;
}

/** Milliseconds of each of `count` requests, one after the other. */
async function timeRequests(requests: readonly ReadRequest[], count: number): Promise<number[]> {
  const times: number[] = [];
  for (let index = 0; index < count; index++) {
    const { url = "", token = "" } = requests[index % requests.length] ?? {};
    const startedAt = performance.now();
    const response = await fetch(url, { headers: { authorization: `Bearer ${token}` } });
    await response.arrayBuffer();
    times.push(performance.now() - startedAt);
    if (!response.ok) throw new Error(`${url} answered ${response.status}`);
  }
  return times;
}
