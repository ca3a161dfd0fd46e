import { MongoBackend } from "@agendajs/mongo-backend";
import { MINUTE_MS } from "@shared/contract/constants.ts";
import { nativeDb } from "@shared/database/database.ts";
import { JOBS_COLLECTION } from "@shared/database/models/job.ts";
import type { UserRecord } from "@shared/database/models/user.ts";
import { GENERATE_SIGNAL_JOB, newAnalysisJob } from "@shared/domain/queue-analysis.ts";
import { createUser, newSession, signTokenFor } from "@shared/testing/factories.ts";
import { testDatabaseUri } from "@shared/testing/test-mongo.ts";
import { newWorkItem, workId } from "@shared/work/work-item.ts";
import { Agenda } from "agenda";
import { Types } from "mongoose";
import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished, vi } from "vitest";
import { startTestServer, type TestServer } from "../../testing/start-test-server.ts";

const ANALYSIS_IDS = ["0123456789abcdef01234567", "0123456789abcdef01234568"];
const WEB_ORIGIN = "http://localhost:5173";
const START = Date.parse("2026-03-01T12:00:00.000Z");

describe("/admin/queue", () => {
  let server: TestServer;
  let root: UserRecord;
  let now = START;
  beforeAll(async () => {
    const overrides = { now: () => new Date(now) };
    server = await startTestServer({ databaseUri: testDatabaseUri(), overrides });
    const { database } = server;
    const userId = new Types.ObjectId();
    const position = { at: new Date(START), unfinishedSignals: 0 };
    await database.jobs.insertMany(
      ANALYSIS_IDS.map((id) => newAnalysisJob({ _id: new Types.ObjectId(id), userId }, position)),
    );
    const mongo = nativeDb(database.connection);
    const agenda = new Agenda({
      backend: new MongoBackend({ mongo, collection: JOBS_COLLECTION }),
    });
    await agenda.ready;
    await agenda.every("1 minute", "sweep-signals");
    await agenda.now("leaky", { analysisId: ANALYSIS_IDS[0], password: "hunter2" });
  });
  beforeEach(async () => {
    now = START;
    const startedAt = new Date(START);
    const session = newSession({ createdAt: startedAt, lastSeenAt: startedAt });
    root = await createUser(server.database, {
      role: "admin",
      approved: true,
      sessions: [session],
    });
    await server.database.securityLog.collection.deleteMany({});
  });
  afterAll(() => server.stop());

  const changesInLog = () => server.database.securityLog.countDocuments({ type: "queue:changed" });
  const jobs = () => server.database.connection.collection(JOBS_COLLECTION);
  const idsOf = async (name: string) =>
    (await jobs().find({ name }).toArray()).map(({ _id }) => _id.toString());
  const tokenOf = (user: UserRecord) => signTokenFor(user, server.deps.settings);
  const post = (path: string, user = root) =>
    server.call(`/admin/queue/${path}`, { method: "POST", token: tokenOf(user) });
  const logOut = () => server.call("/logout", { method: "POST", token: tokenOf(root) });
  const getTicket = async (): Promise<string> => (await (await post("ticket")).json()).ticket;
  const redeem = (ticket: string, { at = server, headers = {} } = {}) =>
    at.call("/admin/queue/", {
      method: "POST",
      body: new URLSearchParams({ ticket }),
      headers: { Origin: WEB_ORIGIN, ...headers },
      redirect: "manual",
    });
  const openPage = async (): Promise<string> => {
    const answer = await redeem(await getTicket());
    return answer.headers.get("set-cookie")?.split(";")[0] ?? "";
  };
  const get = (path: string, Cookie: string) =>
    server.call(`/admin/queue/${path}`, { headers: { Cookie } });
  const act = (Cookie: string, action: string, options: { ids: unknown; origin?: string }) =>
    server.call(`/admin/queue/api/jobs/${action}`, {
      headers: { Cookie, Origin: options.origin ?? server.url },
      json: { jobIds: options.ids },
    });

  it("opens by a ticket, which sets a cookie for this page alone and leaves no trace in the address", async () => {
    const answer = await redeem(await getTicket());
    expect(answer.status).toBe(303);
    expect(answer.headers.get("location")).toBe("/admin/queue/");
    const cookie = answer.headers.get("set-cookie") ?? "";
    expect(cookie).toMatch(/^queue_session=[\w-]{43}; path=\/admin\/queue; /);
    expect(cookie).toMatch(/; samesite=strict; httponly$/);
    const secret = cookie.split(/[=;]/)[1] ?? "";
    for (const kept of [server.logLines, await server.database.dashboardTokens.find().lean()]) {
      expect(JSON.stringify(kept)).not.toContain(secret);
    }
  });

  it("binds its cookie to this host, where browsers come by TLS", async () => {
    const secure = await startTestServer({
      databaseUri: testDatabaseUri(),
      environment: { VITE_API_URL: "https://api.example.com" },
    });
    onTestFinished(() => secure.stop());
    const admin = await createUser(secure.database, { role: "admin" });
    const token = signTokenFor(admin, secure.deps.settings);
    const made = await secure.call("/admin/queue/ticket", { method: "POST", token });
    const answer = await redeem((await made.json()).ticket, { at: secure });
    const cookie = answer.headers.get("set-cookie") ?? "";
    expect(cookie).toMatch(/^__Host-queue_session=[\w-]{43}; path=\/; /);
    expect(cookie).toMatch(/; samesite=strict; secure; httponly$/);
    const [, secret] = cookie.split(/[=;]/);
    const list = (Cookie: string) => secure.call("/admin/queue/api", { headers: { Cookie } });
    expect((await list(`__Host-queue_session=${secret}`)).status).toBe(200);
    // Another host of the domain could set this one.
    expect((await list(`queue_session=${secret}`)).status).toBe(401);
    const withoutTls = await secure.call("/admin/queue/api/jobs/delete", {
      headers: { Cookie: `__Host-queue_session=${secret}`, Origin: "http://api.example.com" },
      json: { jobIds: ANALYSIS_IDS },
    });
    expect(withoutTls.status).toBe(403);
  });

  it.each([
    ["https://evil.example", "another site"],
    ["null", "a sandboxed frame"],
    ["", "nowhere"],
  ])("opens for no form of %j: %s", async (Origin) => {
    const ticket = await getTicket();
    const answer = await redeem(ticket, { headers: { Origin } });
    expect(answer.status).toBe(403);
    expect(answer.headers.get("set-cookie")).toBeNull();
    const link = await server.call(`/admin/queue/?ticket=${ticket}`, { redirect: "manual" });
    expect(link.status).toBe(401);
    expect(link.headers.get("set-cookie")).toBeNull();
    expect((await redeem(ticket)).status).toBe(303);
  });

  it("does not take over a cookie that was there before", async () => {
    const planted = "a".repeat(43);
    const headers = { Cookie: `queue_session=${planted}` };
    const answer = await redeem(await getTicket(), { headers });
    expect(answer.headers.get("set-cookie")).not.toContain(planted);
    expect((await get("api", headers.Cookie)).status).toBe(401);
  });

  it("shows its page under a policy that lets nothing but this host's own files run", async () => {
    const cookie = await openPage();
    const answer = await get("", cookie);
    const page = await answer.text();
    expect(page).toContain("<title>Queue</title>");
    const policy = answer.headers.get("content-security-policy");
    expect(policy).toContain("script-src 'self';");
    expect(policy).toContain("require-trusted-types-for 'script'; trusted-types 'none';");
    expect(policy).not.toContain("unsafe");
    const assets = [...page.matchAll(/"\.\/(assets\/[^"]+)"/g)].map(([, path]) => path ?? "");
    expect(assets).toHaveLength(2);
    const files = await Promise.all(assets.map((path) => get(path, cookie)));
    expect(files.map(({ status }) => status)).toEqual([200, 200]);
    expect(files.map(({ headers }) => headers.get("content-type"))).toEqual([
      "text/css; charset=utf-8",
      "text/javascript; charset=utf-8",
    ]);
    expect((await get("assets/..%2froutes.ts", cookie)).status).toBe(404);
    const elsewhere = await server.call("/status");
    expect(elsewhere.headers.get("content-security-policy")).not.toContain("script-src");
  });

  it("never deletes a job that the product needs, which can be paused", async () => {
    const cookie = await openPage();
    const kind = "resolve-outcomes";
    const _id = workId(kind, "");
    const standing = newWorkItem({ kind, id: _id, data: {}, dueAt: new Date(START) });
    await server.database.jobs.create(standing);
    onTestFinished(async () => {
      await server.database.jobs.deleteOne({ _id });
    });
    const ids = [_id.toString(), ANALYSIS_IDS[0]];
    const refused = await act(cookie, "delete", { ids });
    expect(refused.status).toBe(422);
    expect((await refused.json()).detail).toBe(
      "The product needs resolve-outcomes. It can be paused, but not deleted.",
    );
    expect(await idsOf(kind)).toHaveLength(1);
    expect(await idsOf(GENERATE_SIGNAL_JOB)).toHaveLength(2);
    expect(await changesInLog()).toBe(0);
    const list = await (await get(`api?job=${kind}`, cookie)).json();
    expect(list.jobs).toMatchObject([{ needed: true }]);
    expect((await act(cookie, "pause", { ids: [_id.toString()] })).status).toBe(200);
  });

  it("lists the jobs with their analysis's id, and none of whatever else a job may carry", async () => {
    const cookie = await openPage();
    const list = await (await get("api?job=generate-signal&limit=10", cookie)).json();
    expect(list.total).toBe(2);
    const shown = list.jobs.map(({ job }: { job: unknown }) => job);
    for (const analysisId of ANALYSIS_IDS) {
      expect(shown).toContainEqual(
        expect.objectContaining({ name: GENERATE_SIGNAL_JOB, data: { analysisId } }),
      );
    }
    expect(list.overview).toContainEqual(
      expect.objectContaining({ displayName: GENERATE_SIGNAL_JOB, total: 2, queued: 2 }),
    );
    const all = await (await get("api", cookie)).text();
    expect(all).toContain("leaky");
    expect(all).not.toContain("hunter2");
    expect((await get("api?state=nonsense", cookie)).status).toBe(422);
  });

  it("shows the jobs of all workers", async () => {
    const figures = await (await get("api/stats", await openPage())).json();
    // The first run of a repeated job is due at once too.
    expect(figures).toMatchObject({ queuedJobs: 3, runningJobs: 0, totalQueueSizeDB: 4 });
  });

  it("is closed to everybody else, and says so to people in a page", async () => {
    const trader = await createUser(server.database, { approved: true });
    expect((await post("ticket", trader)).status).toBe(403);
    expect((await server.call("/admin/queue/ticket", { method: "POST" })).status).toBe(401);
    for (const path of ["", "api", "api/stats", "api/events", "assets/index.js"]) {
      const answer = await server.call(`/admin/queue/${path}`, { token: tokenOf(root) });
      expect(answer.status).toBe(401);
      expect(await answer.json()).toMatchObject({ code: "unauthenticated" });
    }
    const headers = { Accept: "text/html" };
    const page = await server.call("/admin/queue/", { headers });
    expect(page.status).toBe(401);
    expect(await page.text()).toContain("Open it from the admin page.");
  });

  it("takes a ticket once, even if several try at the same moment", async () => {
    const ticket = await getTicket();
    const answers = await Promise.all([redeem(ticket), redeem(ticket), redeem(ticket)]);
    expect(answers.map(({ status }) => status).toSorted()).toEqual([303, 401, 401]);
    expect((await redeem(ticket)).status).toBe(401);
  });

  it("takes no ticket that is older than a minute, made up, or the secret of a cookie", async () => {
    const ticket = await getTicket();
    const cookie = await openPage();
    now += MINUTE_MS;
    expect((await redeem(ticket)).status).toBe(401);
    expect((await redeem("made-up")).status).toBe(401);
    expect((await redeem(cookie.split("=")[1] ?? "")).status).toBe(401);
    expect((await get("api", `queue_session=${await getTicket()}`)).status).toBe(401);
  });

  it("stays open for 30 minutes", async () => {
    const cookie = await openPage();
    now += 30 * MINUTE_MS - 1;
    expect((await get("api", cookie)).status).toBe(200);
    now += 1;
    expect((await get("api", cookie)).status).toBe(401);
  });

  it("closes at once when its administrator is one no longer", async () => {
    const cookie = await openPage();
    const ticket = await getTicket();
    await server.database.users.updateOne({ _id: root._id }, { role: "user" });
    expect((await get("api", cookie)).status).toBe(403);
    expect((await redeem(ticket)).status).toBe(403);
    await server.database.users.deleteOne({ _id: root._id });
    expect((await get("api", cookie)).status).toBe(401);
  });

  it("closes at once in production when its administrator turns the second factor off, and opens by no ticket from before", async () => {
    const production = await startTestServer({
      databaseUri: testDatabaseUri(),
      environment: {
        NODE_ENV: "production",
        EMBEDDED_DATABASE: "on",
        SMTP_URL: "smtp://localhost",
      },
    });
    onTestFinished(() => production.stop());
    const admin = await createUser(production.database, {
      role: "admin",
      twoFactor: { secret: "sealed", usedSteps: [], recoveryHashes: [] },
    });
    const token = signTokenFor(admin, production.deps.settings);
    const newTicket = async (): Promise<string> => {
      const answer = await production.call("/admin/queue/ticket", { method: "POST", token });
      return (await answer.json()).ticket;
    };
    const opened = await redeem(await newTicket(), { at: production });
    const Cookie = opened.headers.get("set-cookie")?.split(";")[0] ?? "";
    const headers = { Cookie, Origin: production.url };
    const statusOf = async (path: string, init = {}) =>
      (await production.call(`/admin/queue/${path}`, { headers, ...init })).status;
    expect(await statusOf("api")).toBe(200);
    const unused = await newTicket();
    await production.database.users.updateOne({ _id: admin._id }, { $set: { twoFactor: null } });
    for (const path of ["", "api", "api/stats", "api/events", "assets/index.js"]) {
      expect(await statusOf(path), path).toBe(403);
    }
    expect(await statusOf("api/jobs/requeue", { json: { jobIds: ANALYSIS_IDS } })).toBe(403);
    expect((await redeem(unused, { at: production })).status).toBe(403);
  });

  it("closes with the session that it was opened in: by signing out, or a changed password", async () => {
    const first = await openPage();
    const ticket = await getTicket();
    expect((await logOut()).status).toBe(204);
    expect((await get("api", first)).status).toBe(401);
    expect((await redeem(ticket)).status).toBe(401);
    const second = await openPage();
    await server.database.users.updateOne({ _id: root._id }, { sessions: [] });
    expect((await get("api", second)).status).toBe(401);
  });

  it("makes an open page reload, until its access ends", { timeout: 15_000 }, async () => {
    const answer = await get("api/events", await openPage());
    expect(answer.headers.get("content-type")).toContain("text/event-stream");
    const received: string[] = [];
    for await (const chunk of answer.body?.pipeThrough(new TextDecoderStream()) ?? []) {
      received.push(chunk);
      if (chunk.includes("complete")) await logOut();
    }
    expect(received.join("")).toBe(
      'event: connected\ndata: {"connected":true}\n\ndata: {"type":"complete"}\n\n',
    );
  });

  it("queues jobs again and deletes them, and names who did it in the security log", async () => {
    const cookie = await openPage();
    const before = await idsOf(GENERATE_SIGNAL_JOB);
    const requeued = await act(cookie, "requeue", { ids: before });
    expect(await requeued.json()).toEqual({ requeuedCount: 2 });
    const added = (await idsOf(GENERATE_SIGNAL_JOB)).filter((id) => !before.includes(id));
    expect(added).toHaveLength(2);
    const deleted = await act(cookie, "delete", { ids: added });
    expect(await deleted.json()).toEqual({ deleted: true, deletedCount: 2 });
    expect(await idsOf(GENERATE_SIGNAL_JOB)).toEqual(before);
    const log = await server.database.securityLog.find().sort({ _id: 1 }).lean();
    const entry = { actor: root.username, type: "queue:changed", user: null };
    const details = { jobs: 2, names: GENERATE_SIGNAL_JOB };
    expect(log).toMatchObject([
      { ...entry, type: "queue:opened" },
      { ...entry, details: { ...details, action: "requeue" } },
      { ...entry, details: { ...details, action: "delete" } },
    ]);
  });

  it("pauses and resumes jobs, and has them tried again", async () => {
    const cookie = await openPage();
    const ids = await idsOf(GENERATE_SIGNAL_JOB);
    const paused = () => jobs().countDocuments({ name: GENERATE_SIGNAL_JOB, disabled: true });
    await act(cookie, "pause", { ids });
    expect(await paused()).toBe(2);
    await act(cookie, "resume", { ids });
    expect(await paused()).toBe(0);
    await jobs().updateMany({ name: GENERATE_SIGNAL_JOB }, { $set: { failReason: "broke" } });
    vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + 600_000 });
    onTestFinished(() => {
      vi.useRealTimers();
    });
    expect(await (await act(cookie, "retry", { ids })).json()).toEqual({ retriedCount: 2 });
    const late = { _id: { $in: ids.map((id) => new Types.ObjectId(id)) } };
    const ahead = { ...late, nextRunAt: { $gt: new Date(Date.now() - 300_000) } };
    expect(await jobs().countDocuments(ahead)).toBe(0);
    expect(await changesInLog()).toBe(3);
  });

  it.each([
    ["http://localhost:5173", "the web pages, of the same site"],
    ["https://evil.example", "another site"],
    ["null", "a page without an origin"],
    ["", "an unknown place"],
  ])("refuses changes from %j: %s", async (origin) => {
    const ids = await idsOf(GENERATE_SIGNAL_JOB);
    const answer = await act(await openPage(), "delete", { ids, origin });
    expect(answer.status).toBe(403);
    expect((await answer.json()).code).toBe("foreign-origin");
    expect(await idsOf(GENERATE_SIGNAL_JOB)).toEqual(ids);
    expect(await changesInLog()).toBe(0);
  });

  it.each(["application/x-www-form-urlencoded", "text/plain", "multipart/form-data; boundary=x"])(
    "refuses a form of another site with the cookie, sent as %s",
    async (type) => {
      const Cookie = await openPage();
      const ids = await idsOf(GENERATE_SIGNAL_JOB);
      const answer = await server.call("/admin/queue/api/jobs/delete", {
        method: "POST",
        headers: { Cookie, Origin: "https://evil.example", "Content-Type": type },
        body: JSON.stringify({ jobIds: ids }),
      });
      expect(answer.status).toBe(403);
      expect(await idsOf(GENERATE_SIGNAL_JOB)).toEqual(ids);
    },
  );

  it("refuses deleted jobs, invalid ids and unknown actions", async () => {
    const cookie = await openPage();
    const gone = ["ffffffffffffffffffffffff"];
    expect((await act(cookie, "delete", { ids: gone })).status).toBe(404);
    for (const ids of [undefined, [], "x", [{ $ne: null }], ["x"]]) {
      expect((await act(cookie, "delete", { ids })).status).toBe(422);
    }
    expect((await act(cookie, "create", { ids: gone })).status).toBe(422);
    expect(await changesInLog()).toBe(0);
  });
});
