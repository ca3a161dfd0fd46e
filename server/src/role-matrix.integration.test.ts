import { JOBS_COLLECTION } from "@shared/database/models/job.ts";
import type { UserRecord } from "@shared/database/models/user.ts";
import { multipartForm } from "@shared/testing/api-client.ts";
import {
  createUser,
  createWitnessedHead,
  signTokenFor,
  TEST_PASSWORD,
} from "@shared/testing/factories.ts";
import { chartImage } from "@shared/testing/images.ts";
import { createSignals } from "@shared/testing/signal-factory.ts";
import { testDatabaseUri } from "@shared/testing/test-mongo.ts";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createRouter } from "./app.ts";
import { describeRoute } from "./http/openapi/build-document.ts";
import { ANSWER_SCHEMAS } from "./http/openapi/route-doc.ts";
import { ROUTE_DOCS } from "./http/openapi/route-docs.ts";
import { authenticateToken } from "./http/sessions.ts";
import { signFileUrl } from "./modules/files/signed-url.ts";
import { issueTicket, redeemTicket } from "./modules/queue-dashboard/dashboard-access.ts";
import { readPage } from "./modules/queue-dashboard/page-routes.ts";
import { createShareLink } from "./modules/signals/share-signal.ts";
import { startTestServer, type TestServer } from "./testing/start-test-server.ts";

/** Who calls: nobody, and users with nothing but what their column says. Administrators are approved. */
const ROLES: [role: string, profile: Partial<UserRecord> | undefined][] = [
  ["visitor", undefined],
  ["pending", {}],
  ["approved", { approved: true }],
  ["approved with images", { approved: true, allowImageUpload: true, imageCredits: 5 }],
  ["admin", { role: "admin", approved: true }],
];

/**
 * What each route answers to each role, in the order of `ROLES`, to a request with which nothing else is wrong. What
 * is in brackets tells rows of one route apart.
 */
const MATRIX: Record<string, [number, number, number, number, number]> = {
  "GET /healthz": [200, 200, 200, 200, 200],
  "GET /readyz": [200, 200, 200, 200, 200],
  "GET /metrics": [200, 200, 200, 200, 200],
  "GET /status": [200, 200, 200, 200, 200],
  "GET /markets": [200, 200, 200, 200, 200],
  "GET /performance": [200, 200, 200, 200, 200],
  "GET /openapi.json": [200, 200, 200, 200, 200],
  "GET /docs": [200, 200, 200, 200, 200],
  "GET /ledger": [200, 200, 200, 200, 200],
  "GET /ledger/head": [200, 200, 200, 200, 200],
  "GET /ledger/heads": [200, 200, 200, 200, 200],
  "GET /ledger/heads/:day/ots": [200, 200, 200, 200, 200],
  "GET /ledger/heads/:day/ots (of a day without a proof)": [404, 404, 404, 404, 404],
  "GET /ledger/download": [200, 200, 200, 200, 200],

  "POST /register": [201, 201, 201, 201, 201],
  "POST /login": [200, 200, 200, 200, 200],
  "GET /me": [401, 200, 200, 200, 200],
  "POST /verify-email": [422, 422, 422, 422, 422],
  "POST /resend-verification": [401, 200, 200, 200, 200],
  "POST /forgot-password": [200, 200, 200, 200, 200],
  "POST /reset-password": [422, 422, 422, 422, 422],
  "POST /change-password": [401, 200, 200, 200, 200],
  "POST /change-password (wrong current one)": [401, 403, 403, 403, 403],

  "POST /get-signal": [401, 403, 202, 202, 202],
  "POST /get-signal-with-image": [401, 403, 403, 202, 403],
  "GET /signals/:id (own)": [401, 403, 200, 200, 200],
  "GET /signals/:id (of another)": [401, 403, 404, 404, 404],
  "GET /signals/:id/candles (own)": [401, 403, 200, 200, 200],
  "GET /signals/:id/candles (of another)": [401, 403, 404, 404, 404],
  "GET /signals/:id/since (own)": [401, 403, 200, 200, 200],
  "GET /signals/:id/since (of another)": [401, 403, 404, 404, 200],
  "POST /signals/:id/share (own)": [401, 403, 201, 201, 201],
  "POST /signals/:id/share (of another)": [401, 403, 404, 404, 404],
  "DELETE /signals/:id/share (own)": [401, 403, 200, 200, 200],
  "DELETE /signals/:id/share (of another)": [401, 403, 404, 404, 404],
  "GET /shared/:token": [200, 200, 200, 200, 200],
  "GET /shared/:token (void)": [404, 404, 404, 404, 404],
  "GET /signal-history": [401, 403, 200, 200, 200],

  "GET /payment-details": [200, 200, 200, 200, 200],
  "POST /submit-payment-proof": [401, 201, 201, 201, 201],
  "GET /payment_proofs/:filename (own)": [401, 200, 200, 200, 200],
  "GET /payment_proofs/:filename (of another)": [401, 403, 403, 403, 200],
  "GET /payment_proofs/:filename (signed)": [200, 200, 200, 200, 200],
  "GET /payment_proofs/:filename (badly signed)": [403, 403, 403, 403, 403],
  "GET /chart_uploads/:filename (own)": [401, 200, 200, 200, 200],
  "GET /chart_uploads/:filename (of another)": [401, 403, 403, 403, 200],
  "GET /chart_uploads/:filename (signed)": [200, 200, 200, 200, 200],
  "GET /chart_uploads/:filename (badly signed)": [403, 403, 403, 403, 403],

  "GET /admin/list-users": [401, 403, 403, 403, 200],
  "POST /admin/approve/:username": [401, 403, 403, 403, 200],
  "POST /admin/revoke/:username": [401, 403, 403, 403, 200],
  "POST /admin/revoke/:username (himself)": [401, 403, 403, 403, 409],
  "POST /admin/delete-user/:username": [401, 403, 403, 403, 200],
  "POST /admin/delete-user/:username (himself)": [401, 403, 403, 403, 409],
  "POST /admin/delete-signal-history/:username": [401, 403, 403, 403, 200],
  "POST /admin/delete-proof/:username": [401, 403, 403, 403, 200],
  "POST /admin/set-image-access/:username": [401, 403, 403, 403, 200],
  "POST /admin/grant-image-credits/:username": [401, 403, 403, 403, 200],
  "POST /admin/clear-all-signal-history": [401, 403, 403, 403, 200],
  "POST /admin/update-payment-details": [401, 403, 403, 403, 200],
  "GET /admin/chart-images": [401, 403, 403, 403, 200],
  "DELETE /admin/delete-chart-image/:filename": [401, 403, 403, 403, 200],
  "POST /admin/cleanup-images": [401, 403, 403, 403, 200],
  "GET /admin/audit": [401, 403, 403, 403, 200],
  "GET /admin/usage": [401, 403, 403, 403, 200],
  "GET /admin/health": [401, 403, 403, 403, 200],

  "POST /admin/queue/ticket": [401, 403, 403, 403, 201],
  "POST /admin/queue/leave": [401, 403, 403, 403, 200],
  "GET /admin/queue (by token)": [401, 401, 401, 401, 401],
  "GET /admin/queue": [401, 403, 403, 403, 200],
  "GET /admin/queue/assets/:file": [401, 403, 403, 403, 200],
  "GET /admin/queue/api": [401, 403, 403, 403, 200],
  "GET /admin/queue/api/stats": [401, 403, 403, 403, 200],
  "GET /admin/queue/api/events": [401, 403, 403, 403, 200],
  "POST /admin/queue/api/jobs/:action": [401, 403, 403, 403, 200],
};

type CallOptions = NonNullable<Parameters<TestServer["call"]>[1]>;

/** Who takes part in one cell: the caller, if he is somebody, and another user. */
interface Scene {
  caller: UserRecord | undefined;
  other: UserRecord;
}
type Prepare = (scene: Scene) => Promise<CallOptions & { path?: string }>;

let server: TestServer;
beforeAll(async () => {
  server = await startTestServer({ databaseUri: testDatabaseUri("roles") });
});
afterAll(() => server.stop());

/** What to send along, for the rows that need something. */
const REQUESTS: Record<string, Prepare> = {
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
  "POST /forgot-password": async ({ other }) => ({ json: { email: other.email } }),
  "POST /reset-password": async () => ({
    json: { token: "none-of-ours", new_password: "secret-2" },
  }),
  "POST /change-password": async () => ({
    json: { current_password: TEST_PASSWORD, new_password: "secret-2" },
  }),
  "POST /change-password (wrong current one)": async () => ({
    json: { current_password: "wrong", new_password: "secret-2" },
  }),
  "POST /get-signal": async () => ({
    json: { symbol: "BTC/USDT", timeframe: "1h" },
    headers: { Prefer: "respond-async" },
  }),
  "POST /get-signal-with-image": async () => ({
    body: multipartForm({ symbol: "BTC/USDT", timeframe: "1h", chart_image: await picture() }),
    headers: { Prefer: "respond-async" },
  }),
  "GET /signals/:id (own)": async ({ caller, other }) => ({
    path: `/signals/${await signalOf(caller ?? other)}`,
  }),
  "GET /signals/:id (of another)": async ({ other }) => ({
    path: `/signals/${await signalOf(other)}`,
  }),
  "GET /signals/:id/candles (own)": async ({ caller, other }) => ({
    path: `/signals/${await signalOf(caller ?? other)}/candles`,
  }),
  "GET /signals/:id/candles (of another)": async ({ other }) => ({
    path: `/signals/${await signalOf(other)}/candles`,
  }),
  "GET /signals/:id/since (own)": async ({ caller, other }) => ({
    path: `/signals/${await signalOf(caller ?? other)}/since`,
  }),
  "GET /signals/:id/since (of another)": async ({ other }) => ({
    path: `/signals/${await signalOf(other)}/since`,
  }),
  "POST /signals/:id/share (own)": async ({ caller, other }) => ({
    path: `/signals/${await signalOf(caller ?? other)}/share`,
  }),
  "POST /signals/:id/share (of another)": async ({ other }) => ({
    path: `/signals/${await signalOf(other)}/share`,
  }),
  "DELETE /signals/:id/share (own)": async ({ caller, other }) => ({
    path: `/signals/${await signalOf(caller ?? other)}/share`,
  }),
  "DELETE /signals/:id/share (of another)": async ({ other }) => ({
    path: `/signals/${await signalOf(other)}/share`,
  }),
  "GET /shared/:token": async ({ other }) => ({
    path: `/shared/${(await createShareLink(server.deps, other, await signalOf(other))).token}`,
  }),
  "GET /shared/:token (void)": async () => ({ path: "/shared/none-of-ours" }),
  "POST /submit-payment-proof": async () => ({
    body: multipartForm({ sender_name: "Ann", proof_image: await picture() }),
  }),
  "GET /payment_proofs/:filename (own)": async ({ caller, other }) => ({
    path: await proofOf(caller ?? other),
  }),
  "GET /payment_proofs/:filename (of another)": async ({ other }) => ({
    path: await proofOf(other),
  }),
  "GET /payment_proofs/:filename (signed)": async ({ other }) => ({
    path: signed(await proofOf(other)),
  }),
  "GET /payment_proofs/:filename (badly signed)": async ({ other }) => ({
    path: `${await proofOf(other)}?expires=9999999999&signature=forged`,
  }),
  "GET /chart_uploads/:filename (own)": async ({ caller, other }) => ({
    path: await chartOf(caller ?? other),
  }),
  "GET /chart_uploads/:filename (of another)": async ({ other }) => ({
    path: await chartOf(other),
  }),
  "GET /chart_uploads/:filename (signed)": async ({ other }) => ({
    path: signed(await chartOf(other)),
  }),
  "GET /chart_uploads/:filename (badly signed)": async ({ other }) => ({
    path: `${await chartOf(other)}?expires=9999999999&signature=forged`,
  }),
  "POST /admin/revoke/:username (himself)": async ({ caller, other }) => ({
    path: `/admin/revoke/${(caller ?? other).username}`,
  }),
  "POST /admin/delete-user/:username (himself)": async ({ caller, other }) => ({
    path: `/admin/delete-user/${(caller ?? other).username}`,
  }),
  "POST /admin/set-image-access/:username": async () => ({
    body: new URLSearchParams({ allow: "true" }),
  }),
  "POST /admin/grant-image-credits/:username": async () => ({
    body: multipartForm({ credits: "5" }),
  }),
  "POST /admin/delete-proof/:username": async ({ other }) => {
    await proofOf(other);
    return {};
  },
  "POST /admin/update-payment-details": async () => ({ json: { paypal_details: "pay@me" } }),
  "DELETE /admin/delete-chart-image/:filename": async ({ other }) => ({
    path: (await chartOf(other)).replace("/chart_uploads/", "/admin/delete-chart-image/"),
  }),
  "GET /admin/queue": inQueuePage(() => "/admin/queue/"),
  "GET /admin/queue/assets/:file": inQueuePage(
    async () => `/admin/queue/${/assets[^"]+/.exec(await readPage())?.[0]}`,
  ),
  "GET /admin/queue/api": inQueuePage(() => "/admin/queue/api"),
  "GET /admin/queue/api/stats": inQueuePage(() => "/admin/queue/api/stats"),
  "GET /admin/queue/api/events": inQueuePage(() => "/admin/queue/api/events"),
  "POST /admin/queue/api/jobs/:action": async (scene) => ({
    ...(await inQueuePage(() => "/admin/queue/api/jobs/retry")(scene)),
    json: { jobIds: [await jobInQueue()] },
  }),
};

/** With the cookie of somebody who was an administrator when he opened the queue, whatever he is now. */
function inQueuePage(path: () => string | Promise<string>): Prepare {
  return async ({ caller }) => {
    const Cookie = caller ? await queueCookieOf(caller) : "queue_visit=none-of-ours";
    return { path: await path(), headers: { Cookie, Origin: server.url } };
  };
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
  const { secret } = await redeemTicket(server.deps, ticket.secret);
  await setRole(role);
  return `queue_visit=${secret}`;
}

async function jobInQueue(): Promise<string> {
  const jobs = server.database.connection.collection(JOBS_COLLECTION);
  const { insertedId } = await jobs.insertOne({ name: "generate-signal", data: {} });
  return insertedId.toString();
}

const picture = () => chartImage(1).png().toBuffer();
const tokenOf = (user: UserRecord) => signTokenFor(user, server.deps.settings);
const signed = (path: string) =>
  signFileUrl({ path, secret: server.deps.settings.JWT_SECRET, now: new Date() });

async function signalOf(user: UserRecord): Promise<string> {
  const [signal] = await createSignals(server.database, user);
  return String(signal?._id);
}

async function proofOf(user: UserRecord): Promise<string> {
  const body = multipartForm({ sender_name: "Ann", proof_image: await picture() });
  await server.call("/submit-payment-proof", { method: "POST", token: tokenOf(user), body });
  const me = await (await server.call("/me", { token: tokenOf(user) })).json();
  return `/payment_proofs/${me.payment_proof.filename}`;
}

/** Whoever has a chart image could send one once, whatever he may do now. */
async function chartOf(user: UserRecord): Promise<string> {
  const { database } = server;
  const { _id, approved, allowImageUpload, imageCredits } = user;
  const setRights = (rights: Partial<UserRecord>) =>
    database.users.updateOne({ _id }, { $set: rights });
  await setRights({ approved: true, allowImageUpload: true, imageCredits: 1 });
  await server.call("/get-signal-with-image", {
    method: "POST",
    token: tokenOf(user),
    body: multipartForm({ symbol: "BTC/USDT", timeframe: "1h", chart_image: await picture() }),
    headers: { Prefer: "respond-async" },
  });
  await setRights({ approved, allowImageUpload, imageCredits });
  const image = await database.chartImages.findOne({ userId: _id }).lean();
  return `/chart_uploads/${image?.filename}`;
}

/** `POST /login (by name)` is the route `POST /login`. */
const routeOf = (row: string): string => row.replace(/ \(.*\)$/, "");

async function callAs(profile: Partial<UserRecord> | undefined, row: string): Promise<Response> {
  const caller = profile && (await createUser(server.database, profile));
  const other = await createUser(server.database);
  const { path, ...options } = (await REQUESTS[row]?.({ caller, other })) ?? {};
  const [method, routePath = ""] = routeOf(row).split(" ");
  return server.call(path ?? routePath.replace(":username", other.username), {
    method,
    ...(caller && { token: tokenOf(caller) }),
    ...options,
  });
}

/** An answer that the API's description does not promise, or whose body is not as it says, is an error. */
async function expectAsDescribed(row: string, answer: Response): Promise<void> {
  const doc = ROUTE_DOCS.find(
    ({ method, path }) => `${method.toUpperCase()} ${path}` === routeOf(row),
  );
  if (!doc) throw new Error(`${row} is not described`);
  const described = describeRoute(doc).responses[answer.status];
  if (!described) throw new Error(`${row} is not described to answer ${answer.status}`);
  const schema = answer.ok ? doc.answers[answer.status]?.schema : "Error";
  if (!schema) return;
  const body = await answer.json();
  expect(ANSWER_SCHEMAS[schema].parse(body)).toEqual(body);
  if (schema === "Error") expect(described.description).toContain(`\`${body.code}\``);
}

describe("what each role may do", () => {
  it("is told for every route", () => {
    const mounted = createRouter(server.deps).stack.flatMap(({ methods, path }) =>
      methods.filter((method) => method !== "HEAD").map((method) => `${method} ${path}`),
    );
    const told = new Set(Object.keys(MATRIX).map(routeOf));
    expect([...told].toSorted()).toEqual(mounted.toSorted());
    expect(Object.keys(MATRIX)).toEqual(expect.arrayContaining(Object.keys(REQUESTS)));
  });

  const cells = Object.entries(MATRIX).flatMap(([row, statuses]) =>
    ROLES.map(([role, profile], index) => ({ row, role, profile, status: statuses[index] })),
  );
  it.each(cells)("$row as $role: $status", async ({ row, profile, status }) => {
    const answer = await callAs(profile, row);
    expect(answer.status).toBe(status);
    await expectAsDescribed(row, answer);
  });
});
