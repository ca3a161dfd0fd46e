import { errorBodySchema } from "@shared/contract/errors.ts";
import { createUser, signTokenFor } from "@shared/testing/factories.ts";
import { createSignals, runResult, startRun } from "@shared/testing/signal-factory.ts";
import { testDatabaseUri } from "@shared/testing/test-mongo.ts";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { finishRun } from "../../../../worker/src/signals/signal-lifecycle.ts";
import { startTestServer, type TestServer } from "../../testing/start-test-server.ts";
import { MAX_UNFINISHED_PER_USER, MIN_CAPACITY } from "./signal-limits.ts";

const QUEUE_LENGTH = MIN_CAPACITY * 10;

describe("a request for a signal finds no room", () => {
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

  it("but a user who asks for one has it made before the rest of another's crowd", async () => {
    const [crowd, single] = [await trader(), await trader()];
    for (const _ of Array(3)) await ask(crowd);
    await ask(single);
    const jobs = await server.database.jobs
      .find({ "data.userId": { $in: [String(crowd._id), String(single._id)] } })
      .sort({ priority: -1 })
      .lean();
    const owners = jobs.map(({ data }) => data.userId);
    const first = String(crowd._id);
    expect(owners).toEqual([first, String(single._id), first, first]);
  });

  it("while more wait than could be made in time, and is told to come again", async () => {
    await fillQueue(QUEUE_LENGTH);
    const refused = await ask(await trader());
    expect(refused.status).toBe(503);
    expect(Number(refused.headers.get("Retry-After"))).toBeGreaterThan(0);
    expect(errorBodySchema.parse(await refused.json()).code).toBe("unavailable");
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
