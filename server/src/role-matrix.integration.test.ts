import { randomUUID } from "node:crypto";
import { errorBodySchema } from "@shared/contract/errors.ts";
import { ROUTES } from "@shared/contract/routes/all-routes.ts";
import type { Route } from "@shared/contract/routes/define-route.ts";
import { JOBS_COLLECTION } from "@shared/database/models/job.ts";
import type { UserRecord } from "@shared/database/models/user.ts";
import { multipartForm } from "@shared/testing/api-client.ts";
import { endRecording, recordedScans, recordScans } from "@shared/testing/collection-scans.ts";
import {
  createChannel,
  createDelivery,
  createUser,
  createUsers,
  createWatchlistItem,
  createWitnessedHead,
  signTokenFor,
  TEST_PASSWORD,
} from "@shared/testing/factories.ts";
import { plainImage } from "@shared/testing/images.ts";
import { createSignals } from "@shared/testing/signal-factory.ts";
import { testDatabaseUri } from "@shared/testing/test-mongo.ts";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { z } from "zod";
import { createApiRouter } from "./app.ts";
import { KeyCallQueue } from "./http/key-call-queue.ts";
import { authenticateToken } from "./http/sessions.ts";
import { describeRoute } from "./modules/docs/openapi-document.ts";
import { signFileUrl } from "./modules/files/signed-url.ts";
import { issueTicket, redeemTicket } from "./modules/queue-dashboard/dashboard-access.ts";
import { readPage } from "./modules/queue-dashboard/routes.ts";
import { createShareLink } from "./modules/signals/share-signal.ts";
import { SPECIAL_ROWS, STATUSES_BY_ACCESS, type Statuses } from "./testing/expected-statuses.ts";
import { originOf, sessionOf } from "./testing/session-of.ts";
import { startTestServer, type TestServer } from "./testing/start-test-server.ts";

/** Callers by role. Administrators are approved. */
const ROLES: [role: string, profile: Partial<UserRecord> | undefined][] = [
  ["visitor", undefined],
  ["pending", {}],
  ["approved", { approved: true }],
  ["admin", { role: "admin", approved: true }],
];

/** Text in brackets distinguishes rows of one route. */
const MATRIX: Record<string, Statuses> = {
  ...Object.fromEntries(
    ROUTES.map(({ name, access, responses }) => [
      name,
      STATUSES_BY_ACCESS[access](Number(Object.keys(responses)[0])),
    ]),
  ),
  ...SPECIAL_ROWS,
};

/** Requests that delete what the others read: they come last. */
const CLEARING = ["POST /admin/clear-all-signal-history", "POST /admin/cleanup-images"];

type CallOptions = NonNullable<Parameters<TestServer["call"]>[1]>;

/** The caller, undefined for a visitor, and another user. */
interface Scene {
  caller: UserRecord | undefined;
  other: UserRecord;
}
type Prepare = (scene: Scene) => Promise<CallOptions & { path?: string }>;

let server: TestServer;
/** By role: a caller for each request that may change them, and at last one for those that are refused. */
const callers = new Map<string, UserRecord[]>();
/** Another user for each request that may change them. */
const others: UserRecord[] = [];
/** Another user, of whom no request changes anything. */
let owner: UserRecord;
const isRefusal = (status: number | undefined): boolean => status === 401 || status === 403;
beforeAll(async () => {
  server = await startTestServer({ databaseUri: testDatabaseUri() });
  const cells = Object.values(MATRIX);
  for (const [index, [role, profile]] of ROLES.entries()) {
    const count = cells.filter((statuses) => !isRefusal(statuses[index])).length + 1;
    if (profile) callers.set(role, await createUsers(server.database, count, profile));
    others.push(...(await createUsers(server.database, count)));
  }
  owner = await createUser(server.database);
  await recordScans(server.database);
});
afterAll(async () => {
  await endRecording(server.database);
  await server.stop();
});

/** Requests of the rows that need more than method and path. */
const REQUESTS: Record<string, Prepare> = {
  "GET /admin/list-users": () => Promise.resolve({ path: "/admin/list-users?search=ann" }),
  "GET /economic-events": () => Promise.resolve({ path: "/economic-events?symbol=BTC/USDT" }),
  "GET /performance/parts": () =>
    Promise.resolve({ path: "/performance/parts?analyst=rules&version=rules/1&model=rules-v1" }),
  "GET /candles": async () => {
    const market = { source: "binance", opensAt: null, delayMs: 0, nextCloseAt: new Date() };
    const prices = { open: 1, high: 1, low: 1, close: 1, volume: 0 };
    await server.database.currentCandles.replaceOne(
      { _id: "BTC/USDT 1h" },
      {
        ...market,
        candles: [{ time: 0, ...prices, closed: true }],
        freshUntil: new Date(Date.now() + 60_000),
      },
      { upsert: true },
    );
    return { path: "/candles?symbol=BTC/USDT&timeframe=1h" };
  },
  "GET /ledger/heads/:day/ots": async () => {
    await createWitnessedHead(server.database, { day: "2025-01-31", calendars: [{ block: 800 }] });
    return { path: "/ledger/heads/2025-01-31/ots" };
  },
  "GET /ledger/heads/:day/ots (of a day without a proof)": async () => ({
    path: "/ledger/heads/2024-01-31/ots",
  }),
  "POST /register": async ({ other }) => {
    const username = `new-${other.username}`;
    return { json: { username, email: `${username}@example.com`, password: "secret-1" } };
  },
  "POST /login": async ({ other }) => ({
    json: { username: other.username, password: TEST_PASSWORD },
  }),
  "POST /verify-email": async () => ({ json: { token: "none-of-ours" } }),
  "POST /decline-registration": async () => ({ json: { token: "none-of-ours" } }),
  "POST /forgot-password": async ({ other }) => ({ json: { email: other.email } }),
  "POST /reset-password": async () => ({
    json: { token: "none-of-ours", new_password: "secret-2" },
  }),
  "POST /change-password": async () => ({
    json: { current_password: TEST_PASSWORD, new_password: "a secret of 12" },
  }),
  "POST /change-password (wrong current one)": async () => ({
    json: { current_password: "wrong", new_password: "a secret of 12" },
  }),
  "POST /me/notifications/seen": async () => ({ json: { user: 0 } }),
  "POST /me/two-factor/confirm": async () => ({ json: { code: "123456" } }),
  "DELETE /me/two-factor": async () => ({ json: { password: TEST_PASSWORD, code: "123456" } }),
  "DELETE /me": async ({ caller, other }) => ({
    json: { username: (caller ?? other).username, password: TEST_PASSWORD },
  }),
  "PUT /me/results-email": async () => ({ json: { monthly: true } }),
  "DELETE /me/sessions/:id": async ({ caller, other }) => ({
    path: `/me/sessions/${(caller ?? other).sessions[0]?.id}`,
  }),
  "DELETE /me/sessions/:id (of another)": async ({ other }) => ({
    path: `/me/sessions/${other.sessions[0]?.id}`,
  }),
  "POST /me/api-keys": async () => ({ json: { name: "Bot", scopes: ["read"] } }),
  "DELETE /me/api-keys/:id": async ({ caller, other }) => ({
    path: `/me/api-keys/${await apiKeyOf(caller ?? other)}`,
  }),
  "DELETE /me/api-keys/:id (of another)": async () => ({
    path: `/me/api-keys/${await foreign.apiKey()}`,
  }),
  "POST /mcp": async () => ({
    json: { jsonrpc: "2.0", id: 1, method: "tools/list" },
    headers: { Accept: "application/json, text/event-stream" },
  }),
  "POST /get-signal": async () => ({
    json: { symbol: "BTC/USDT", timeframe: "1h" },
    headers: { Prefer: "respond-async" },
  }),
  "POST /get-signal-with-image": requestWithImage,
  "POST /get-signal-with-image (with image access)": async ({ caller, other }) => {
    const { _id } = caller ?? other;
    await server.database.users.updateOne({ _id }, { allowImageUpload: true, imageCredits: 1 });
    return requestWithImage();
  },
  ...ofSignal("GET /signals/:id"),
  ...ofSignal("GET /signals/:id/candles"),
  ...ofSignal("GET /signals/:id/evidence"),
  ...ofSignal("GET /signals/:id/since"),
  ...ofSignal("PUT /signals/:id/note", { json: { note: "Too early again" } }),
  ...ofSignal("POST /signals/:id/share"),
  ...ofSignal("DELETE /signals/:id/share"),
  "GET /shared/:token": async () => ({ path: `/shared/${await foreign.shareToken()}` }),
  "GET /shared/:token/image.png": async () => ({
    path: `/shared/${await foreign.shareToken()}/image.png`,
  }),
  "GET /shared/:token (void)": async () => ({ path: "/shared/none-of-ours" }),
  "POST /watchlist": async () => ({ json: { symbol: "BTC/USDT", timeframe: "1h" } }),
  "PATCH /watchlist/:id": async ({ caller }) => ({
    path: `/watchlist/${await (caller?.approved ? watchedBy(caller) : foreign.watchlistItem())}`,
    json: { enabled: false },
  }),
  "PATCH /watchlist/:id (of another)": async () => ({
    path: `/watchlist/${await foreign.watchlistItem()}`,
    json: { enabled: false },
  }),
  "DELETE /watchlist/:id": async ({ caller }) => ({
    path: `/watchlist/${await (caller?.approved ? watchedBy(caller) : foreign.watchlistItem())}`,
  }),
  "DELETE /watchlist/:id (of another)": async () => ({
    path: `/watchlist/${await foreign.watchlistItem()}`,
  }),
  "POST /channels": async () => ({
    json: { kind: "webhook", url: "https://192.88.98.1/hook", events: ["signal.completed"] },
  }),
  ...ofChannel("PATCH /channels/:id", { json: { enabled: false } }),
  ...ofChannel("DELETE /channels/:id"),
  ...ofChannel("POST /channels/:id/test"),
  ...ofChannel("GET /channels/:id/deliveries"),
  ...ofChannel("POST /channels/:id/deliveries/:deliveryId/resend"),
  ...ofChannel("POST /channels/:id/rotate-secret"),
  "POST /unsubscribe": async () => ({
    path: `/unsubscribe?token=${server.channelSecrets.unsubscribeToken("0".repeat(24))}`,
  }),
  "POST /unsubscribe (void)": async () => ({
    path: "/unsubscribe?token=none-of-ours",
  }),
  "PUT /me/delivery-settings": async () => ({ json: { pass_on: true } }),
  "POST /me/channel-problems/seen": async () => ({ json: { until: new Date().toISOString() } }),
  "PUT /me/quiet-hours": async () => ({ json: { quiet_hours: null } }),
  "POST /submit-payment-proof": async () => ({ body: await proofForm() }),
  "GET /payment_proofs/:filename": async ({ caller }) => ({
    path: caller ? await proofOf(caller) : await foreign.proof(),
  }),
  "GET /payment_proofs/:filename (of another)": async () => ({ path: await foreign.proof() }),
  "GET /payment_proofs/:filename (signed)": async () => ({ path: signed(await foreign.proof()) }),
  "GET /payment_proofs/:filename (badly signed)": async () => ({
    path: `${await foreign.proof()}?expires=9999999999&signature=forged`,
  }),
  "GET /chart_uploads/:filename": async ({ caller }) => ({
    path: caller ? await chartOf(caller) : await foreign.chart(),
  }),
  "GET /chart_uploads/:filename (of another)": async () => ({ path: await foreign.chart() }),
  "GET /chart_uploads/:filename (signed)": async () => ({ path: signed(await foreign.chart()) }),
  "GET /chart_uploads/:filename (badly signed)": async () => ({
    path: `${await foreign.chart()}?expires=9999999999&signature=forged`,
  }),
  "POST /admin/renew/:username": async () => ({ json: { plan: "pro", months: 1 } }),
  "POST /admin/revoke/:username (their own account)": async ({ caller, other }) => ({
    path: `/admin/revoke/${(caller ?? other).username}`,
  }),
  "POST /admin/delete-user/:username (their own account)": async ({ caller, other }) => ({
    path: `/admin/delete-user/${(caller ?? other).username}`,
  }),
  "POST /admin/set-role/:username": async () => ({
    body: multipartForm({ role: "admin", password: TEST_PASSWORD }),
  }),
  "POST /admin/set-image-access/:username": async () => ({
    body: new URLSearchParams({ allow: "true" }),
  }),
  "POST /admin/grant-image-credits/:username": async () => ({
    body: multipartForm({ credits: "5" }),
  }),
  "GET /admin/payments/:username/transaction": async () => {
    await foreign.proof();
    return { path: `/admin/payments/${owner.username}/transaction` };
  },
  "POST /admin/undo/:username": async ({ caller, other }) => {
    if (caller?.role !== "admin") return {};
    const token = tokenOf(caller);
    await server.call(`/admin/approve/${other.username}`, { method: "POST", token });
    return {};
  },
  "POST /admin/email-users": async ({ other }) => ({
    json: { usernames: [other.username], subject: "Maintenance", text: "Hello" },
  }),
  "POST /admin/reject-proof/:username": async (scene) => ({
    ...(await onProof("/admin/reject-proof", scene)),
    json: { reason: "unreadable" },
  }),
  "POST /admin/delete-proof/:username": (scene) => onProof("/admin/delete-proof", scene),
  "GET /branding/logo": async () => {
    const base64 = (await picture()).toString("base64");
    const logo = { base64, contentType: "image/png" as const, sha256: "0" };
    const { branding } = server.database;
    await branding.updateOne({ _id: "branding" }, { $set: { logo } }, { upsert: true });
    return {};
  },
  "PUT /admin/plans/:id": async () => ({
    path: "/admin/plans/pro",
    json: { monthly_usd: 180, image_credits: 250, support: "Priority support" },
  }),
  "PUT /admin/branding": async () => ({ json: { product_name: "Northwind Signals" } }),
  "POST /admin/branding/logo": async () => ({
    body: multipartForm({ logo: await picture() }),
  }),
  "POST /admin/update-payment-details": async () => ({ json: { paypal_details: "pay@me" } }),
  "DELETE /admin/delete-chart-image/:filename": async ({ caller, other }) => {
    const chart = caller?.role === "admin" ? await chartOf(other) : await foreign.chart();
    return { path: chart.replace("/chart_uploads/", "/admin/delete-chart-image/") };
  },
  "POST /admin/bench/analyst": () =>
    Promise.resolve({ path: "/admin/bench/analyst", json: { arm: null } }),
  "POST /admin/test-model": async () => {
    await server.database.workerStatuses.create({
      _id: `worker ${randomUUID()}`,
      marketData: "replay",
      analyst: "openai",
      modelServer: "https://models.example/v1 m",
      concurrency: 1,
      providers: [],
      startedAt: new Date(),
      seenAt: new Date(),
    });
    return {};
  },
  "POST /admin/queue": async () => {
    const admin = await createUser(server.database, { role: "admin" });
    const session = await authenticateToken(server.deps, tokenOf(admin));
    const { secret } = await issueTicket(server.deps, session);
    const headers = { Origin: server.deps.settings.CLIENT_ORIGIN[0] ?? "" };
    return { headers, body: new URLSearchParams({ ticket: secret }), redirect: "manual" };
  },
  "GET /admin/queue": inQueuePage(() => "/admin/queue/"),
  "GET /admin/queue/assets/:file": inQueuePage(
    () => `/admin/queue/${/assets[^"]+/.exec(readPage(""))?.[0]}`,
  ),
  "GET /admin/queue/api": inQueuePage(() => "/admin/queue/api"),
  "GET /admin/queue/api/stats": inQueuePage(() => "/admin/queue/api/stats"),
  "GET /admin/queue/api/events": inQueuePage(() => "/admin/queue/api/events"),
  "POST /admin/queue/api/jobs/:action": async (scene) => ({
    ...(await inQueuePage(() => "/admin/queue/api/jobs/retry")(scene)),
    json: { jobIds: [await jobInQueue()] },
  }),
};

async function requestWithImage(): Promise<CallOptions> {
  return {
    body: multipartForm({ symbol: "BTC/USDT", timeframe: "1h", chart_image: await picture() }),
    headers: { Prefer: "respond-async" },
  };
}

/** The request for a signal of the caller, and for one of another user. */
function ofSignal(row: string, options: CallOptions = {}): Record<string, Prepare> {
  const [, path = ""] = row.split(" ");
  const request = (id: string) => ({ ...options, path: path.replace(":id", id) });
  return {
    [row]: async ({ caller }) => request(await (caller ? signalOf(caller) : foreign.signal())),
    [`${row} (of another)`]: async () => request(await foreign.signal()),
  };
}

/** The request for a channel of the caller, and for one of another user. */
function ofChannel(row: string, options: CallOptions = {}): Record<string, Prepare> {
  const [, path = ""] = row.split(" ");
  const request = ({ channelId, deliveryId }: Awaited<ReturnType<typeof channelOf>>) => ({
    ...options,
    path: path.replace(":deliveryId", deliveryId).replace(":id", channelId),
  });
  return {
    [row]: async ({ caller }) => request(await (caller ? channelOf(caller) : foreign.channel())),
    [`${row} (of another)`]: async () => request(await foreign.channel()),
  };
}

async function channelOf(user: UserRecord) {
  const channel = await createChannel(server, user, "https://192.88.98.1/hook");
  const delivery = await createDelivery(server.database, channel);
  return { channelId: channel._id.toString(), deliveryId: delivery._id.toString() };
}

/** With the cookie of a user who was an administrator when they opened the dashboard. */
function inQueuePage(path: () => string | Promise<string>): Prepare {
  return async ({ caller }) => {
    const Cookie = caller ? await queueCookieFor(caller) : "queue_session=none-of-ours";
    return { path: await path(), headers: { Cookie, Origin: server.url } };
  };
}

/** A cookie of each role, by which the dashboard knows its callers. */
const queueCookies = new Map<string, Promise<string>>();

function queueCookieFor(user: UserRecord): Promise<string> {
  const role = `${user.role} ${user.approved}`;
  const cookie = queueCookies.get(role) ?? queueCookieOf(user);
  queueCookies.set(role, cookie);
  return cookie;
}

async function queueCookieOf(user: UserRecord): Promise<string> {
  const { role } = user;
  const setRole = (now: UserRecord["role"]) =>
    server.database.users.updateOne({ _id: user._id }, { role: now });
  await setRole("admin");
  const ticket = await issueTicket(
    server.deps,
    await authenticateToken(server.deps, tokenOf(user)),
  );
  const { secret } = await redeemTicket(server.deps, ticket.secret, originOf("Firefox"));
  await setRole(role);
  return `queue_session=${secret}`;
}

async function jobInQueue(): Promise<string> {
  const jobs = server.database.connection.collection(JOBS_COLLECTION);
  const { insertedId } = await jobs.insertOne({ name: "generate-signal", data: {} });
  return insertedId.toString();
}

const drawn = plainImage().png().toBuffer();
const picture = () => drawn;
const tokenOf = (user: UserRecord) => signTokenFor(user, server.deps.settings);
const signed = (path: string) =>
  signFileUrl({ path, secret: server.deps.settings.JWT_SECRET, now: new Date() });

async function signalOf(user: UserRecord): Promise<string> {
  const [signal] = await createSignals(server.database, user);
  return String(signal?._id);
}

async function apiKeyOf(user: UserRecord): Promise<string> {
  const json = { name: "Bot", scopes: ["read"] };
  const created = await server.call("/me/api-keys", { token: tokenOf(user), json });
  return (await created.json()).id;
}

const watchedBy = async (user: UserRecord): Promise<string> =>
  String((await createWatchlistItem(server.database, user))._id);

async function proofForm(named: Record<string, string> = {}) {
  return multipartForm({ sender_name: "Ann", ...named, proof_image: await picture() });
}

async function proofOf(user: UserRecord, named: Record<string, string> = {}): Promise<string> {
  const body = await proofForm(named);
  await server.call("/submit-payment-proof", { method: "POST", token: tokenOf(user), body });
  const me = await (await server.call("/me", { token: tokenOf(user) })).json();
  return `/payment_proofs/${me.payment_proof.filename}`;
}

/** A proof that its administrator may handle, or one that the caller may not. */
async function onProof(
  action: string,
  { caller, other }: Scene,
): Promise<{ path: string; method: string }> {
  const mayHandle = caller?.role === "admin";
  await (mayHandle ? proofOf(other) : foreign.proof());
  return { path: `${action}/${(mayHandle ? other : owner).username}`, method: "POST" };
}

/** The user may upload images while this one is sent. */
async function chartOf(user: UserRecord): Promise<string> {
  const { database } = server;
  const { _id, approved, allowImageUpload, imageCredits } = user;
  const setRights = (rights: Partial<UserRecord>) =>
    database.users.updateOne({ _id }, { $set: rights });
  await setRights({ approved: true, allowImageUpload: true, imageCredits: 1 });
  await server.call("/get-signal-with-image", {
    method: "POST",
    token: tokenOf(user),
    ...(await requestWithImage()),
  });
  await setRights({ approved, allowImageUpload, imageCredits });
  const image = await database.chartImages.findOne({ userId: _id }).lean();
  return `/chart_uploads/${image?.filename}`;
}

const once = <Value>(make: () => Promise<Value>): (() => Promise<Value>) => {
  let made: Promise<Value> | undefined;
  return () => {
    made ??= make();
    return made;
  };
};

/** What another user has, which no request of a row changes: one for all rows. */
const foreign = {
  signal: once(() => signalOf(owner)),
  shareToken: once(async () => {
    const signalId = await signalOf(owner);
    return (await createShareLink(server.deps, sessionOf(owner), signalId)).token;
  }),
  apiKey: once(() => apiKeyOf(owner)),
  watchlistItem: once(() => watchedBy(owner)),
  channel: once(() => channelOf(owner)),
  proof: once(() => proofOf(owner, { transaction_hash: "c".repeat(64) })),
  chart: once(() => chartOf(owner)),
};

/** `POST /login (by name)` is the route `POST /login`. */
const routeOf = (row: string): string => row.replace(/ \(.*\)$/, "");

async function callAs(role: string, row: string, status: number | undefined): Promise<Response> {
  const isRefused = isRefusal(status);
  const caller = isRefused ? callers.get(role)?.[0] : callers.get(role)?.pop();
  const other = isRefused ? owner : others.pop();
  if (!other) throw new Error("No user is left.");
  const { path, ...options } = (await REQUESTS[row]?.({ caller, other })) ?? {};
  const [method, routePath = ""] = routeOf(row).split(" ");
  return server.call(path ?? routePath.replace(":username", other.username), {
    method,
    ...(caller && { token: tokenOf(caller) }),
    ...options,
  });
}

const DECLARED = new Map(
  ROUTES.map((route: Route) => [route.name, { route, responses: describeRoute(route).responses }]),
);

/** The response must be one that the route declares, with the declared body. */
async function expectDeclared(row: string, response: Response): Promise<void> {
  const declared = DECLARED.get(routeOf(row));
  if (!declared) throw new Error(`${row} is not declared`);
  const { route, responses } = declared;
  const described = responses[response.status];
  if (!described) throw new Error(`${row} is not declared to respond with ${response.status}`);
  const isError = response.status >= 400;
  const schema = isError ? errorBodySchema : route.responses[response.status]?.schema;
  if (!schema) return;
  const body = await response.json();
  expect(z.parse(schema, body)).toEqual(body);
  if (isError) expect(described.description).toContain(`\`${body.code}\``);
}

describe("what each role may do", () => {
  it("has a handler for every declared route, and no request without a row", () => {
    const mounted = createApiRouter(server.deps, new KeyCallQueue()).stack.flatMap(
      ({ methods, path }) =>
        methods.filter((method) => method !== "HEAD").map((method) => `${method} ${path}`),
    );
    const rows = new Set(Object.keys(MATRIX).map(routeOf));
    expect([...rows].toSorted()).toEqual(mounted.toSorted());
    expect(Object.keys(MATRIX)).toEqual(expect.arrayContaining(Object.keys(REQUESTS)));
  });

  const rows = Object.entries(MATRIX).toSorted(
    ([one], [other]) => CLEARING.indexOf(one) - CLEARING.indexOf(other),
  );
  it.each(rows)("%s, by role: %j", async (row, statuses) => {
    for (const [index, [role]] of ROLES.entries()) {
      const response = await callAs(role, row, statuses[index]);
      expect(response.status, role).toBe(statuses[index]);
      await expectDeclared(row, response);
    }
  });

  it("needs an index for every query of these requests", async () => {
    expect(await recordedScans(server.database)).toEqual([]);
  });
});
