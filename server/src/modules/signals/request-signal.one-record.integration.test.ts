import { HOUR_MS } from "@shared/contract/constants.ts";
import { readCandles } from "@shared/database/stored-candles.ts";
import { lastCandleClose } from "@shared/domain/queue-analysis.ts";
import { createUser, signTokenFor } from "@shared/testing/factories.ts";
import { testDatabaseUri } from "@shared/testing/test-mongo.ts";
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from "vitest";
import { z } from "zod";
import { appendRecords } from "../../../../worker/src/record/append-records.ts";
import { startClockedWorker } from "../../../../worker/src/testing/clocked-worker.ts";
import { startTestServer, type TestServer } from "../../testing/start-test-server.ts";

const REQUESTS = 5;
const WAIT = { timeout: 30_000, interval: 50 };
const answerSchema = z.object({ signal_id: z.string() });

describe("the record of a candle that the exchange does not have yet", () => {
  const databaseUri = testDatabaseUri();
  const closedAt = lastCandleClose("1h", new Date()).getTime();
  const clock = { now: closedAt };
  /** Another one in each test: the clock goes back, and workers keep what they have read. */
  const symbols = ["BTC/USDT", "ETH/USDT", "BNB/USDT"];
  let symbol = "";
  let servers: TestServer[];
  let workers: Awaited<ReturnType<typeof startClockedWorker>>[];

  beforeAll(async () => {
    const now = () => new Date(clock.now);
    const start = () => startTestServer({ databaseUri, overrides: { now } });
    servers = await Promise.all([start(), start()]);
    workers = await Promise.all(
      servers.map(({ database }, index) =>
        startClockedWorker(database, clock, { workerId: `worker-${index}` }),
      ),
    );
  });
  afterAll(async () => {
    await Promise.all(workers.map((worker) => worker.stop()));
    await Promise.all(servers.map((server) => server.stop()));
  });
  beforeEach(async () => {
    clock.now = closedAt + 300;
    symbol = symbols.pop() ?? "";
    const { database } = serverAt(0);
    await Promise.all([
      database.signals.deleteMany({}),
      database.marketAnalyses.deleteMany({}),
      database.analysisCandles.deleteMany({}),
      database.ledger.deleteMany({}),
      database.ledgerHeads.deleteMany({}),
      database.ledgerReveals.deleteMany({}),
    ]);
    for (const { exchange, ai } of workers) {
      exchange.reset();
      ai.reset();
      exchange.behave("late", { subject: "candles" });
    }
  });

  function serverAt(index: number): TestServer {
    const server = servers[index % servers.length];
    if (!server) throw new Error("no server was started");
    return server;
  }

  /** Each of another user, at one server after the other. */
  async function requestMany(count: number): Promise<string[]> {
    return Promise.all(Array.from({ length: count }, (_, index) => request(serverAt(index))));
  }

  async function request(server: TestServer): Promise<string> {
    const user = await createUser(server.database, { approved: true });
    const response = await server.call("/get-signal", {
      headers: { Prefer: "respond-async" },
      token: signTokenFor(user, server.deps.settings),
      json: { symbol, timeframe: "1h", limit: 100 },
    });
    expect(response.status).toBe(202);
    return answerSchema.parse(await response.json()).signal_id;
  }

  const lateAnswers = () =>
    workers.reduce((sum, { exchange }) => sum + exchange.count({ subject: "candles" }), 0);
  const callsToAi = () => workers.reduce((sum, { ai }) => sum + ai.chats.length, 0);

  async function ended(ids: readonly string[]) {
    const { database } = serverAt(0);
    const find = () => database.signals.find({ _id: { $in: ids } }).lean();
    await vi.waitFor(async () => {
      const open = (await find()).filter(({ finishedAt }) => !finishedAt);
      expect(open).toHaveLength(0);
    }, WAIT);
    return find();
  }

  /** Appended by all workers at once. */
  async function recorded() {
    const now = () => new Date();
    const append = ({ database }: TestServer) => appendRecords({ database, now });
    await Promise.all([...servers, ...servers].map(append));
    const { database } = serverAt(0);
    const [records, reveals] = await Promise.all([
      database.ledger.find({ kind: "analysis" }).lean(),
      database.ledgerReveals.find({}).lean(),
    ]);
    return { count: records.length, figures: reveals.map(({ figures }) => figures) };
  }

  async function expectOneRecord(signalIds: readonly string[]): Promise<void> {
    const signals = await ended(signalIds);
    expect(new Set(signals.map(({ status }) => status))).toEqual(new Set(["completed"]));
    expect(new Set(signals.map(({ analysisId }) => String(analysisId))).size).toBe(1);
    const { count, figures } = await recorded();
    expect(count).toBe(1);
    const last_candle_at = new Date(closedAt).toISOString();
    expect(figures).toMatchObject([{ symbol, last_candle_at }]);
    const { analysisCandles } = serverAt(0).database;
    const ids = await analysisCandles.distinct("_id");
    const candles = await Promise.all(ids.map((_id) => readCandles(analysisCandles, _id)));
    expect(candles.map((each) => each.at(-1)?.time)).toEqual([closedAt - HOUR_MS]);
    expect(callsToAi()).toBe(1);
  }

  it("is one, of the right candle, however many request it before, while and after it comes", async () => {
    const early = await requestMany(2);
    await vi.waitFor(() => expect(lateAnswers()).toBeGreaterThan(1), WAIT);
    const meanwhile = await requestMany(REQUESTS);
    clock.now = closedAt + 2_500;
    for (const { exchange } of workers) exchange.reset();
    await expectOneRecord([...early, ...meanwhile]);
    clock.now = closedAt + 60_000;
    const later = await requestMany(REQUESTS);
    await expectOneRecord([...early, ...meanwhile, ...later]);
  });

  it("is one if the worker that waits for it is stopped, and another one goes on", async () => {
    const early = await requestMany(2);
    await vi.waitFor(() => expect(lateAnswers()).toBeGreaterThan(1), WAIT);
    const waiting = workers.findIndex(({ exchange }) => exchange.count() > 0);
    await workers[waiting]?.stop();
    const { database } = serverAt(0);
    const successor = await startClockedWorker(database, clock, { workerId: "successor" });
    workers[waiting] = successor;
    const meanwhile = await requestMany(REQUESTS);
    clock.now = closedAt + 2_500;
    for (const { exchange } of workers) exchange.reset();
    await expectOneRecord([...early, ...meanwhile]);
  });

  it("is one, by a later request, after it did not come in time", async () => {
    const [early = ""] = await requestMany(1);
    await vi.waitFor(() => expect(lateAnswers()).toBeGreaterThan(1), WAIT);
    clock.now = closedAt + 16_300;
    const [failed] = await ended([early]);
    expect(failed?.status).toBe("failed");
    expect(failed?.analysis?.warnings.join()).toContain("No provider has published the 1h candle");
    expect(await recorded()).toMatchObject({ count: 0 });
    for (const { exchange } of workers) exchange.reset();
    await expectOneRecord(await requestMany(REQUESTS));
  });
});
