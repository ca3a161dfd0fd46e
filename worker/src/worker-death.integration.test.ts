import { signalRequestSchema } from "@shared/contract/signal.ts";
import { type Database, openDatabase } from "@shared/database/database.ts";
import type { SignalRecord } from "@shared/database/models/signal.ts";
import { newSignalId, queueSignal } from "@shared/domain/queue-signal.ts";
import { commit } from "@shared/outbox/commit.ts";
import { userStream } from "@shared/outbox/streams.ts";
import { createUser } from "@shared/testing/factories.ts";
import { type FakeExchange, startFakeExchange } from "@shared/testing/fakes/fake-exchange.ts";
import { type SpawnedService, spawnService } from "@shared/testing/spawn-service.ts";
import { newDatabaseUri } from "@shared/testing/test-mongo.ts";
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from "vitest";

/** The promise: within 90 s of the death; the test has to be quicker than that to be of use. */
const WITHIN = { timeout: 60_000, interval: 100 };
/** Not the one that the worker reads the markets' prices with. */
const TIMEFRAME = "15m";

describe("a worker that crashes or stops in the middle of an analysis", () => {
  const uri = newDatabaseUri();
  const services: SpawnedService[] = [];
  let database: Database;
  let exchange: FakeExchange;

  beforeAll(async () => {
    database = await openDatabase({ uri });
    exchange = await startFakeExchange();
  });
  afterEach(async () => {
    await Promise.all(services.splice(0).map((service) => service.kill()));
    exchange.reset();
  });
  afterAll(async () => {
    await exchange.close();
    await database.close();
  });

  const startWorker = async (): Promise<SpawnedService> => {
    const service = await spawnService("worker", {
      MONGODB_URI: uri,
      JWT_SECRET: "a test secret of more than 32 characters",
      ADMIN_PASSWORD: "correct horse",
      MARKET_DATA: "live",
      EXCHANGES: "binance",
      EXCHANGE_URL: exchange.url,
    });
    services.push(service);
    return service;
  };
  const requestSignal = async (): Promise<SignalRecord> => {
    const user = await createUser(database, { approved: true });
    const id = newSignalId();
    const request = signalRequestSchema.parse({ symbol: "BTC/USDT", timeframe: TIMEFRAME });
    return commit(database, { lockKeys: id.toString() }, (uow) =>
      queueSignal(database, uow, { id, userId: user._id, request }),
    );
  };
  const eventsOf = async ({ userId }: SignalRecord): Promise<string[]> => {
    const events = await database.events
      .find({ stream: userStream(userId) })
      .sort({ seq: 1 })
      .lean();
    return events.map((event) => event.name);
  };
  const untilFinished = ({ _id }: SignalRecord) =>
    vi.waitFor(async () => {
      const signal = await database.signals.findById(_id).lean();
      expect(signal?.status).toBe("completed");
    }, WITHIN);
  const untilAsked = () =>
    vi.waitFor(() => {
      const asked = exchange.requests.filter(
        ({ parameters }) => parameters.get("interval") === TIMEFRAME,
      );
      expect(asked).toHaveLength(1);
    }, WITHIN);
  const requestStalledSignal = async (): Promise<SignalRecord> => {
    exchange.behave("stalled-headers", { subject: "candles" });
    const signal = await requestSignal();
    await untilAsked();
    return signal;
  };

  it("kill -9: another worker takes the signal over and it completes once", async () => {
    const victim = await startWorker();
    const signal = await requestStalledSignal();
    await victim.kill();
    exchange.behave("ok");
    await startWorker();
    await untilFinished(signal);
    expect(await eventsOf(signal)).toEqual([
      "signal:queued",
      "signal:started",
      "signal:started",
      "signal:completed",
    ]);
  }, 90_000);

  it("SIGTERM: the worker finishes what it has started before it exits", async () => {
    const worker = await startWorker();
    exchange.behave("slow", { subject: "candles" });
    const signal = await requestSignal();
    await untilAsked();
    expect(await worker.stop()).toBe(0);
    expect(await eventsOf(signal)).toEqual(["signal:queued", "signal:started", "signal:completed"]);
  }, 60_000);

  it("a signal whose job was deleted is queued again and completes", async () => {
    const signal = await requestSignal();
    await database.jobs.deleteMany({});
    await startWorker();
    await untilFinished(signal);
    expect(await eventsOf(signal)).toEqual(["signal:queued", "signal:started", "signal:completed"]);
  }, 90_000);
});
