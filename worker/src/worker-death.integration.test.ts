import { signalRequestSchema } from "@shared/contract/signal.ts";
import { type Database, openDatabase } from "@shared/database/database.ts";
import type { SignalRecord } from "@shared/database/models/signal.ts";
import type { UserRecord } from "@shared/database/models/user.ts";
import { newSignalId, queueSignal } from "@shared/domain/queue-signal.ts";
import { commit } from "@shared/outbox/commit.ts";
import { userStream } from "@shared/outbox/streams.ts";
import { createChannel, createUser } from "@shared/testing/factories.ts";
import { type FakeExchange, startFakeExchange } from "@shared/testing/fakes/fake-exchange.ts";
import { type FakeWebhook, startFakeWebhook } from "@shared/testing/fakes/fake-webhook.ts";
import { type SpawnedService, spawnService } from "@shared/testing/spawn-service.ts";
import { testDatabaseUri } from "@shared/testing/test-mongo.ts";
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from "vitest";
import { z } from "zod";
import {
  type DeliveryStage,
  deliveryStage,
  TEST_CHANNEL_SECRET,
} from "./testing/delivery-stage.ts";

/** The promise: within 90 s of the death; the test has to be quicker than that to be of use. */
const WITHIN = { timeout: 60_000, interval: 100 };
/** One for each test, since a worker keeps candles. None is the one that it reads the markets' prices with. */
type AskedTimeframe = "15m" | "30m" | "4h";

const MESSAGES = Array.from({ length: 30 }, (_, index) => `${index}`);
/** The receiver has had so many when it stops answering. */
const ANSWERED = 10;
const signalRefSchema = z.object({ signal_id: z.string() });

describe("a worker that crashes or stops in the middle of its work", () => {
  const uri = testDatabaseUri();
  /** Each test leaves one to the next. */
  let worker: SpawnedService;
  let database: Database;
  let exchange: FakeExchange;
  let receiver: FakeWebhook;
  let stage: DeliveryStage;

  beforeAll(async () => {
    database = await openDatabase({ uri });
    exchange = await startFakeExchange();
    receiver = await startFakeWebhook();
    stage = deliveryStage(database);
  });
  afterEach(() => exchange.reset());
  afterAll(async () => {
    await worker.kill();
    await Promise.all([exchange.close(), receiver.close()]);
    await database.close();
  });

  const startWorker = () =>
    spawnService("worker", {
      MONGODB_URI: uri,
      JWT_SECRET: "a test secret of more than 32 characters",
      ADMIN_PASSWORD: "correct horse",
      MARKET_DATA: "live",
      EXCHANGES: "binance",
      EXCHANGE_URL: exchange.url,
      CHANNEL_SECRET: TEST_CHANNEL_SECRET,
      WEBHOOK_ALLOW_PRIVATE: "on",
    });
  const requestSignal = async (timeframe: AskedTimeframe): Promise<SignalRecord> => {
    const user = await createUser(database, { approved: true });
    const id = newSignalId();
    const request = signalRequestSchema.parse({ symbol: "BTC/USDT", timeframe });
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
  const untilAsked = (timeframe: AskedTimeframe) =>
    vi.waitFor(() => {
      const asked = exchange.requests.filter(
        ({ parameters }) => parameters.get("interval") === timeframe,
      );
      expect(asked).toHaveLength(1);
    }, WITHIN);

  it("a signal whose job was deleted is queued again and completes", async () => {
    const signal = await requestSignal("15m");
    await database.jobs.deleteMany({});
    worker = await startWorker();
    await untilFinished(signal);
    expect(await eventsOf(signal)).toEqual(["signal:queued", "signal:started", "signal:completed"]);
  }, 90_000);

  const addMessages = async (user: UserRecord) => {
    const resolved = { outcome: "WIN" as const, resolved_at: "2026-11-21T10:00:00.000Z" };
    for (const signal_id of MESSAGES) {
      await stage.addEvent(user, "signal:outcome", { signal_id, ...resolved });
    }
  };
  const received = () => receiver.received.map(({ data }) => signalRefSchema.parse(data).signal_id);

  describe("kill -9", () => {
    let signal: SignalRecord;
    beforeAll(async () => {
      receiver.answer(...Array<{ status: number }>(ANSWERED).fill({ status: 200 }), null);
      const user = await createUser(database);
      await createChannel(stage, user, receiver.url);
      await addMessages(user);
      await vi.waitFor(() => expect(received()).toHaveLength(ANSWERED + 1), WITHIN);
      exchange.behave("stalled-headers", { subject: "candles" });
      signal = await requestSignal("30m");
      await untilAsked("30m");
      await worker.kill();
      exchange.behave("ok");
      worker = await startWorker();
    }, 120_000);

    it("another worker takes the signal over and it completes once", async () => {
      await untilFinished(signal);
      expect(await eventsOf(signal)).toEqual([
        "signal:queued",
        "signal:started",
        "signal:started",
        "signal:completed",
      ]);
    }, 90_000);

    it("another worker sends the rest in order, and only the unanswered message twice, with its id", async () => {
      await vi.waitFor(() => expect(received()).toContain(MESSAGES.at(-1)), WITHIN);
      expect(received()).toEqual(MESSAGES.toSpliced(ANSWERED, 0, String(ANSWERED)));
      expect(new Set(receiver.received.map(({ id }) => id)).size).toBe(MESSAGES.length);
    }, 90_000);
  });

  it("SIGTERM: the worker finishes what it has started before it exits", async () => {
    exchange.behave("slow", { subject: "candles" });
    const signal = await requestSignal("4h");
    await untilAsked("4h");
    expect(await worker.stop()).toBe(0);
    expect(await eventsOf(signal)).toEqual(["signal:queued", "signal:started", "signal:completed"]);
  }, 60_000);
});
