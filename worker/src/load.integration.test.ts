import { EventEmitter, once } from "node:events";
import { PRODUCT_SYMBOLS } from "@shared/contract/instruments.ts";
import { signalRequestSchema } from "@shared/contract/signal.ts";
import { type Database, openDatabase } from "@shared/database/database.ts";
import { newSignalId, queueSignal } from "@shared/domain/queue-signal.ts";
import { commit } from "@shared/outbox/commit.ts";
import { userStream } from "@shared/outbox/streams.ts";
import { createUser } from "@shared/testing/factories.ts";
import { type FakeOpenAi, startFakeOpenAi } from "@shared/testing/fakes/fake-openai.ts";
import { type SpawnedService, spawnService } from "@shared/testing/spawn-service.ts";
import { testDatabaseUri } from "@shared/testing/test-mongo.ts";
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from "vitest";

/** As many as a small machine makes quickly; `npm run bench -- load` does the same with 200. */
const SIGNALS = 60;
/** Each of two workers claims its share of what waits just then, so the totals differ a little. */
const MIN_SHARE = SIGNALS / 3;
const TRADERS = 10;
/** Coins trade around the clock: no market is closed when the test runs. */
const SYMBOLS = PRODUCT_SYMBOLS.filter((symbol) => symbol.endsWith("/USDT"));
const WAIT = { timeout: 60_000, interval: 50 };

describe("many signals while the AI takes its time", () => {
  const uri = testDatabaseUri();
  /** The first test starts one, the second another, the third freezes one of the two. */
  const workers: SpawnedService[] = [];
  let database: Database;
  let ai: FakeOpenAi;

  beforeAll(async () => {
    database = await openDatabase({ uri });
    ai = await startFakeOpenAi();
  });
  afterEach(async () => {
    await database.signals.deleteMany();
    ai.reset();
  });
  afterAll(async () => {
    await Promise.all(workers.map((worker) => worker.kill()));
    await ai.close();
    await database.close();
  });

  /** A worker that shows `apiKey` to the AI, which so can distinguish the workers. */
  const startWorker = async (apiKey: string) => {
    const worker = await spawnService("worker", {
      MONGODB_URI: uri,
      JWT_SECRET: "a test secret of more than 32 characters",
      ADMIN_PASSWORD: "correct horse",
      MARKET_DATA: "replay",
      OPENAI_API_KEY: apiKey,
      OPENAI_BASE_URL: ai.baseUrl,
      WORKER_CONCURRENCY: String(SIGNALS),
    });
    workers.push(worker);
  };
  const queueSignals = async () => {
    const users = await Promise.all(
      Array.from({ length: TRADERS }, () => createUser(database, { approved: true })),
    );
    const queued = Array.from({ length: SIGNALS }, (_, index) => {
      const userId = users[index % TRADERS]?._id;
      const request = signalRequestSchema.parse({
        symbol: SYMBOLS[index % SYMBOLS.length],
        timeframe: "4h",
      });
      if (!userId) throw new Error("there is no user to ask");
      return commit(database, { lockKeys: userStream(userId), groupCommit: true }, (uow) =>
        queueSignal(database, uow, { id: newSignalId(), userId, request }),
      );
    });
    await Promise.all(queued);
  };
  /** The AI answers no request before `release` is called. */
  const holdAnswers = () => {
    const released = new EventEmitter();
    ai.behave({ kind: "advice", heldUntil: once(released, "release") });
    return () => released.emit("release");
  };
  const untilAsked = (count: number) =>
    vi.waitFor(() => expect(ai.chats.length).toBeGreaterThanOrEqual(count), WAIT);
  const untilFinished = () =>
    vi.waitFor(async () => {
      expect(await database.signals.countDocuments({ status: "completed" })).toBe(SIGNALS);
    }, WAIT);
  const askedWith = (apiKey: string) =>
    ai.chats.filter(({ headers }) => headers.authorization === `Bearer ${apiKey}`).length;

  it("are all in flight at once in one worker, before the AI has answered any of them", async () => {
    const release = holdAnswers();
    await startWorker("one");
    await queueSignals();
    await untilAsked(SIGNALS);
    expect(await database.signals.countDocuments({ status: "running" })).toBe(SIGNALS);
    release();
    await untilFinished();
  }, 120_000);

  it("are shared evenly by two workers", async () => {
    const release = holdAnswers();
    await startWorker("two");
    await queueSignals();
    await untilAsked(SIGNALS);
    const shares = [askedWith("one"), askedWith("two")] as const;
    expect(shares[0] + shares[1]).toBe(SIGNALS);
    expect(Math.min(...shares)).toBeGreaterThanOrEqual(MIN_SHARE);
    release();
    await untilFinished();
  }, 120_000);

  it("are left to the other worker when one is unresponsive", async () => {
    const release = holdAnswers();
    const [frozen] = workers;
    process.kill(frozen?.pid ?? Number.NaN, "SIGSTOP");
    await queueSignals();
    await untilAsked(SIGNALS);
    expect([askedWith("one"), askedWith("two")].sort()).toEqual([0, SIGNALS]);
    release();
    await untilFinished();
  }, 120_000);
});
