import { DAY_MS } from "@shared/contract/constants.ts";
import { errorBodySchema } from "@shared/contract/errors.ts";
import type { UserRecord } from "@shared/database/models/user.ts";
import { ANALYSIS_SETUP_ID } from "@shared/database/models/worker-reports.ts";
import { multipartForm } from "@shared/testing/api-client.ts";
import { createUser, signTokenFor } from "@shared/testing/factories.ts";
import { chartImage } from "@shared/testing/images.ts";
import {
  createSignals,
  runResult,
  startRun,
  WAIT_ANALYSIS,
} from "@shared/testing/signal-factory.ts";
import { testDatabaseUri } from "@shared/testing/test-mongo.ts";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { finishRun, type RunResult } from "../../../../worker/src/signals/signal-lifecycle.ts";
import { startTestServer, type TestServer } from "../../testing/start-test-server.ts";
import { MAX_UNFINISHED_PER_USER, MIN_CAPACITY } from "./signal-limits.ts";

const QUEUE_LENGTH = MIN_CAPACITY * 10;

describe("a request for a signal is refused", () => {
  let server: TestServer;
  let clock = Date.now();
  beforeAll(async () => {
    server = await startTestServer({
      databaseUri: testDatabaseUri(),
      overrides: { now: () => new Date(clock) },
    });
  });
  afterAll(() => server.stop());
  afterEach(async () => {
    await server.database.signals.deleteMany();
    await server.database.marketAnalyses.deleteMany();
    await server.database.workerStatuses.deleteMany();
    clock += 60_000;
  });

  const trader = () => createUser(server.database, { approved: true });
  let asked = 0;
  /** Each request is for another analysis. */
  const ask = (user: Awaited<ReturnType<typeof trader>>) =>
    server.call("/get-signal", {
      token: signTokenFor(user, server.deps.settings),
      headers: { Prefer: "respond-async" },
      json: { symbol: "BTC/USDT", timeframe: "1h", limit: 10 + (asked++ % 400) },
    });
  const fillQueue = async (count: number) =>
    createSignals(server.database, await trader(), { count, status: "queued" });

  it("while the user has the maximum of unfinished signals, until one is finished", async () => {
    const user = await trader();
    const most = MAX_UNFINISHED_PER_USER;
    const [first] = await createSignals(server.database, user, { count: most, status: "running" });
    const refused = await ask(user);
    expect(refused.status).toBe(429);
    expect(refused.headers.get("Retry-After")).toBe("5");
    expect(errorBodySchema.parse(await refused.json()).code).toBe("rate-limited");
    expect((await ask(await trader())).status).toBe(202);
    const run = first && (await startRun(server.database, first));
    if (!run) throw new Error("there is no signal");
    expect(await finishRun(server.database, run, runResult("failed"))).toBe(true);
    expect((await ask(user)).status).toBe(202);
  });

  it("in several at once: the last places are taken once each", async () => {
    const user = await trader();
    const count = MAX_UNFINISHED_PER_USER - 3;
    await createSignals(server.database, user, { count, status: "queued" });
    const statuses = (await Promise.all(Array.from({ length: 8 }, () => ask(user)))).map(
      ({ status }) => status,
    );
    expect(statuses.sort()).toEqual([202, 202, 202, ...Array.from({ length: 5 }, () => 429)]);
  });

  it("but a user with one request gets it before the rest of another user's many", async () => {
    const frequent = await trader();
    const single = await trader();
    for (const _ of Array(3)) await ask(frequent);
    await ask(single);
    const jobs = await server.database.jobs
      .find({ "data.userId": { $in: [String(frequent._id), String(single._id)] } })
      .sort({ priority: -1 })
      .lean();
    const owners = jobs.map(({ data }) => data.userId);
    const first = String(frequent._id);
    expect(owners).toEqual([first, String(single._id), first, first]);
  });

  it("while more wait than could be made in time, with a time to retry after", async () => {
    await fillQueue(QUEUE_LENGTH);
    const refused = await ask(await trader());
    expect(refused.status).toBe(503);
    expect(Number(refused.headers.get("Retry-After"))).toBeGreaterThan(0);
    expect(errorBodySchema.parse(await refused.json()).code).toBe("unavailable");
  });

  it("not while as many analyses wait for watchers only, which are behind all requests", async () => {
    const { marketAnalyses } = server.database;
    await fillQueue(QUEUE_LENGTH);
    await marketAnalyses.updateMany({}, { $unset: { userId: 1 } });
    expect((await ask(await trader())).status).toBe(202);
    const ofWatchers = { userId: { $exists: false } };
    await marketAnalyses.updateMany(ofWatchers, { $inc: { joinedSignals: 1 } });
    clock += 60_000;
    expect((await ask(await trader())).status).toBe(503);
  });

  it("the more workers there are, the later", async () => {
    await server.database.workerStatuses.insertOne({
      _id: "a",
      marketData: "live",
      analyst: "openai",
      concurrency: MIN_CAPACITY + 1,
      providers: [],
      startedAt: new Date(),
      seenAt: new Date(),
    });
    await fillQueue(QUEUE_LENGTH);
    expect((await ask(await trader())).status).toBe(202);
  });
});

const NOON = Math.floor(Date.now() / DAY_MS) * DAY_MS + DAY_MS / 2;

describe("the daily limit of AI analyses of a user", () => {
  const databaseUri = testDatabaseUri();
  let clock = NOON;
  let server: TestServer;
  let otherServer: TestServer;
  let user: UserRecord;
  let chart: Buffer;
  beforeAll(async () => {
    const start = () =>
      startTestServer({
        databaseUri,
        environment: { ANALYSES_PER_USER_PER_DAY: "3" },
        overrides: { now: () => new Date(clock) },
      });
    [server, otherServer] = await Promise.all([start(), start()]);
    chart = await chartImage(1).png().toBuffer();
  });
  afterAll(() => Promise.all([server.stop(), otherServer.stop()]));
  beforeEach(async () => {
    clock = NOON;
    user = await trader();
  });

  const trader = () =>
    createUser(server.database, { approved: true, allowImageUpload: true, imageCredits: 2 });
  let markets = 0;
  /** Another number of candles is another analysis. */
  const nextLimit = () => 10 + markets++;
  const headers = { Prefer: "respond-async" };
  const ask = (of: UserRecord, limit = nextLimit(), to = server) =>
    to.call("/get-signal", {
      token: signTokenFor(of, server.deps.settings),
      headers,
      json: { symbol: "BTC/USDT", timeframe: "1h", limit },
    });
  const askWithImage = (of: UserRecord) =>
    server.call("/get-signal-with-image", {
      method: "POST",
      token: signTokenFor(of, server.deps.settings),
      headers,
      body: multipartForm({ symbol: "BTC/USDT", timeframe: "1h", chart_image: chart }),
    });
  const statusesOf = async (count: number) => {
    const responses = Array.from({ length: count }, (_, index) =>
      ask(user, nextLimit(), index % 2 === 0 ? server : otherServer),
    );
    return (await Promise.all(responses)).map(({ status }) => status).sort();
  };
  const countOf = async () => (await server.database.users.findById(user._id).lean())?.analyses;
  /** Ends the user's newest analysis. */
  const finishNewest = async (end: Partial<RunResult>) => {
    const { database } = server;
    const signal = await database.signals.findOne({ userId: user._id }).sort({ _id: -1 }).lean();
    const run = signal && (await startRun(database, signal));
    if (!run) throw new Error("there is no run");
    expect(await finishRun(database, run, { ...runResult("failed"), ...end })).toBe(true);
  };

  it("accepts exactly as many of several requests at once, from two servers, and more the next day", async () => {
    expect(await statusesOf(8)).toEqual([202, 202, 202, 429, 429, 429, 429, 429]);
    const refused = await ask(user);
    expect(refused.status).toBe(429);
    expect(refused.headers.get("Retry-After")).toBe(String(DAY_MS / 2_000));
    const { code, detail } = errorBodySchema.parse(await refused.json());
    expect({ code, detail }).toEqual({
      code: "rate-limited",
      detail:
        "You have used all 3 AI analyses of today. You can request more from 00:00 UTC. Until then, you only get signals for markets that are already analyzed.",
    });
    expect((await ask(await trader())).status).toBe(202);
    clock = NOON + DAY_MS / 2;
    expect((await ask(user)).status).toBe(202);
    expect(await countOf()).toMatchObject({ count: 1 });
  });

  it("does not count signals of analyses that exist", async () => {
    const limit = nextLimit();
    await ask(await trader(), limit);
    expect(await statusesOf(3)).toEqual([202, 202, 202]);
    expect((await ask(user, limit)).status).toBe(202);
    expect(await countOf()).toMatchObject({ count: 3 });
  });

  it("counts chart images, and takes no credit for one too many", async () => {
    expect((await askWithImage(user)).status).toBe(202);
    expect(await statusesOf(2)).toEqual([202, 202]);
    expect((await askWithImage(user)).status).toBe(429);
    const stored = await server.database.users.findById(user._id).lean();
    expect(stored).toMatchObject({ imageCredits: 1, analyses: { count: 3 } });
  });

  it("counts a failed analysis only if the AI answered", async () => {
    const usage = { model: "gpt-test", promptTokens: 9, completionTokens: 1, costUsd: null };
    await ask(user);
    await finishNewest({});
    expect(await countOf()).toMatchObject({ count: 0 });
    await ask(user);
    await finishNewest({ usage });
    expect(await countOf()).toMatchObject({ count: 1 });
    await ask(user);
    await finishNewest({ isRefusal: true });
    expect(await countOf()).toMatchObject({ count: 2 });
  });

  it("does not count a WAIT for which the AI was not called", async () => {
    await ask(user);
    const source = { ...WAIT_ANALYSIS.source, analyst: "none", model: "none" } as const;
    await finishNewest(runResult("completed", { ...WAIT_ANALYSIS, source }));
    expect(await countOf()).toMatchObject({ count: 0 });
  });

  it("is not used by the rules, which cost nothing", async () => {
    const setup = { data: "live", analyst: "rules", model: "rules", analystVersion: "1" } as const;
    await server.database.analysisSetup.insertOne({ _id: ANALYSIS_SETUP_ID, ...setup });
    // Servers read the setup once a second.
    clock = NOON + 2_000;
    expect(await statusesOf(5)).toEqual([202, 202, 202, 202, 202]);
    expect(await countOf()).toBeUndefined();
  });
});
