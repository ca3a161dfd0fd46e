import { HOUR_MS } from "@shared/contract/constants.ts";
import type { Database } from "@shared/database/database.ts";
import type { UserRecord } from "@shared/database/models/user.ts";
import { PushClient } from "@shared/testing/api-client.ts";
import { callApi } from "@shared/testing/call-api.ts";
import { createUser, signTokenFor, subscriptionInGrace } from "@shared/testing/factories.ts";
import { until } from "../faults/harness/until.ts";
import { type BenchTrader, connectTraders } from "./bench-pipeline.ts";
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
/** First pages. Every name and address contains "user", none "unknown". */
const PAGES = ["", "&status=pending", "&search=user", "&search=unknown"];

/** Measures first pages of the list of users, one request at a time. */
export async function benchUsers({ database, uri }: BenchOptions): Promise<void> {
  const product = await startProduct({ database, uri, workers: 0 });
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

const SUBSCRIPTIONS = 10_000;
const SOCKETS = 1_000;
const QUIET_MS = 10_000;
const PUSH_INTERVAL_MS = 20;
/** Every so many pushes, one is caused by an administrator, whose stream the sweep writes to as well. */
const GRANT_EVERY = 50;

/**
 * Measures how long a worker takes to end subscriptions that ended in the same hour, while it did not run, and how long
 * events of other users take meanwhile.
 */
export async function benchSubscriptions({ database, uri }: BenchOptions): Promise<void> {
  const { apiUrl, settings, stop } = await startProduct({ database, uri });
  const admin = signTokenFor(await createUser(database, { role: "admin" }), settings);
  const users = await Promise.all(Array.from({ length: SOCKETS }, () => createUser(database)));
  const tokens = users.map((user) => signTokenFor(user, settings));
  const connected = await connectTraders(apiUrl, tokens);
  const traders = connected.map((trader, index) => ({ ...trader, ...users[index] }));
  const tab = new PushClient({ url: apiUrl, token: admin, since: { user: 0, admins: 0 } });
  const load = { apiUrl, admin, traders };
  try {
    await addSubscribers(database);
    const quietUntil = performance.now() + QUIET_MS;
    const before = await measurePushes(load, async () => performance.now() > quietUntil);
    const due = { "subscription.status": "grace" } as const;
    const makeDue = [{ $set: { "subscription.nextDueAt": "$subscription.accessEndsAt" } }];
    await database.users.collection.updateMany(due, makeDue);
    const during = await measurePushes(load, async () => !(await database.users.exists(due)));
    printTable(`${SUBSCRIPTIONS} subscriptions that end in one hour, ${SOCKETS} sockets`, [
      { measured: "before", "sweep, s": "", ...before },
      { measured: "during the sweep", "sweep, s": await sweepSeconds(database), ...during },
    ]);
  } finally {
    for (const { push } of [...traders, { push: tab }]) push.close();
    await stop();
  }
}

/** Users whose period of grace has ended within the last hour. Nothing is due of them yet. */
async function addSubscribers(database: Database): Promise<void> {
  const template = await createUser(database, { approved: true });
  const users = copyUsers(template, SUBSCRIPTIONS).map((user, index): UserRecord => {
    const accessEndsAt = new Date(Date.now() - (index / SUBSCRIPTIONS) * HOUR_MS);
    return { ...user, subscription: { ...subscriptionInGrace(accessEndsAt), nextDueAt: null } };
  });
  await database.users.collection.insertMany(users, { ordered: false });
}

/** From the first to the last transaction. */
async function sweepSeconds({ events }: Database): Promise<number> {
  const ended = { name: "account:updated", "data.reason": "subscription-ended" };
  const found = await events.find(ended).select({ at: 1 }).lean();
  const times = found.map(({ at }) => at.getTime());
  return (Math.max(...times) - Math.min(...times)) / 1_000;
}

interface Load {
  apiUrl: string;
  /** A token. */
  admin: string;
  traders: readonly (BenchTrader & { username?: string })[];
}

/** Causes events at a constant rate. The times are from the request to the push. */
async function measurePushes(load: Load, isOver: () => Promise<boolean>) {
  const times: { isGrant: boolean; time: Promise<number | null> }[] = [];
  const sending = setInterval(() => {
    const index = times.length;
    const isGrant = index % GRANT_EVERY === 0;
    times.push({ isGrant, time: timePush(load, { index, isGrant }) });
  }, PUSH_INTERVAL_MS);
  await until(isOver, { what: "the end of the measurement", withinMs: 5 * 60_000 });
  clearInterval(sending);
  const timesOf = async (grants: boolean) => {
    const chosen = times.filter(({ isGrant }) => isGrant === grants);
    const found = await Promise.all(chosen.map(({ time }) => time));
    return found.flatMap((time) => time ?? []);
  };
  const [own, grants] = await Promise.all([timesOf(false), timesOf(true)]);
  return {
    pushes: own.length,
    grants: grants.length,
    refused: times.length - own.length - grants.length,
    "push p50, ms": percentile(own, 0.5),
    "push p99, ms": percentile(own, 0.99),
    "grant p99, ms": percentile(grants, 0.99),
  };
}

/** An event of the user's own request, or of an administrator's. @returns null if the database was too busy */
async function timePush(
  { apiUrl, admin, traders }: Load,
  { index, isGrant }: { index: number; isGrant: boolean },
): Promise<number | null> {
  const { username, token = "", push } = traders[index % traders.length] ?? {};
  const sentAt = performance.now();
  const pushed = new Promise<number>((resolve) => {
    const name = isGrant ? "account:updated" : "notifications:seen";
    push?.socket.once(name, () => resolve(performance.now() - sentAt));
  });
  const { status } = isGrant
    ? await callApi(`${apiUrl}/admin/grant-image-credits/${username}`, {
        token: admin,
        body: { credits: 1 },
      })
    : await callApi(`${apiUrl}/me/notifications/seen`, { token, body: { user: Date.now() } });
  if (status === 503) return null;
  if (status >= 400) throw new Error(`answered ${status}`);
  return pushed;
}
