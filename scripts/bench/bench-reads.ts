import type { Database } from "@shared/database/database.ts";
import type { SignalRecord } from "@shared/database/models/signal.ts";
import type { UserRecord } from "@shared/database/models/user.ts";
import { expectAnswer } from "@shared/testing/call-api.ts";
import { createUser, signTokenFor } from "@shared/testing/factories.ts";
import { newSignal, tradeAnalysis } from "@shared/testing/signal-factory.ts";
import { Types } from "mongoose";
import { z } from "zod";
import { percentile, printTable } from "./lib/report.ts";
import { type BenchOptions, startProduct } from "./lib/start-product.ts";

const SIGNAL_COUNTS = [10_000, 100_000, 1_000_000];
const SIGNALS_PER_USER = 1_000;
const READERS = 10;
const REQUESTS = 200;
const STEP_MS = 60_000;

const pageSchema = z.object({ next_cursor: z.string().nullable() });

interface ReadRequest {
  url: string;
  token: string;
}

/** Measures a page of a user's history while other users have more and more signals. */
export async function benchHistory({ database, uri }: BenchOptions): Promise<void> {
  const product = await startProduct({ uri, workers: 0 });
  const url = `${product.apiUrl}/signal-history`;
  const users = await Promise.all(
    Array.from({ length: READERS }, () => createUser(database, { approved: true })),
  );
  const firstPages = users.map((user) => ({ url, token: signTokenFor(user, product.settings) }));
  const rows = [];
  let stored = 0;
  try {
    for (const total of SIGNAL_COUNTS) {
      for (; stored < total; stored += SIGNALS_PER_USER) {
        const user = users[stored / SIGNALS_PER_USER] ?? { _id: new Types.ObjectId() };
        await storeHistory(database, user);
      }
      const laterPages = await Promise.all(firstPages.map(findLaterPage));
      await timeRequests(firstPages, READERS);
      const first = await timeRequests(firstPages, REQUESTS);
      const later = await timeRequests(laterPages, REQUESTS);
      rows.push({
        "stored signals": total,
        "first page p50, ms": percentile(first, 0.5),
        "first page p95, ms": percentile(first, 0.95),
        "page 11 p50, ms": percentile(later, 0.5),
        "page 11 p95, ms": percentile(later, 0.95),
      });
    }
    printTable(`History: a page of 50 signals, ${SIGNALS_PER_USER} signals a user`, rows);
  } finally {
    await product.stop();
  }
}

async function findLaterPage({ url, token }: ReadRequest): Promise<ReadRequest> {
  let page = url;
  for (let number = 1; number <= 10; number++) {
    const { next_cursor } = await expectAnswer(pageSchema, page, { token });
    page = `${url}?cursor=${encodeURIComponent(next_cursor ?? "")}`;
  }
  return { url: page, token };
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

async function storeHistory(database: Database, user: Pick<UserRecord, "_id">): Promise<void> {
  const now = Date.now();
  const signals = Array.from({ length: SIGNALS_PER_USER }, (_, index): SignalRecord => {
    const createdAt = new Date(now - index * STEP_MS);
    const analysis = tradeAnalysis(createdAt);
    return { ...newSignal(user), createdAt, updatedAt: createdAt, outcome: "WIN", analysis };
  });
  const options = { ordered: false, writeConcern: { w: 1 } } as const;
  await database.signals.collection.insertMany(signals, options);
}

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
    const users = Array.from({ length: Math.min(BATCH, total - count) }, (): UserRecord => {
      const _id = new Types.ObjectId();
      const username = `user-${_id}`;
      const email = `${username}@example.com`;
      const identityId = _id.toString();
      const keys = { usernameKey: username, emailKey: email, identityId };
      return { ...template, _id, username, email, ...keys };
    });
    await database.users.collection.insertMany(users, { ordered: false });
    count += users.length;
  }
}
