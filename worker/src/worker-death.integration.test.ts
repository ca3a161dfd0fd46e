import { signalRequestSchema } from "@shared/contract/signal.ts";
import { type Database, openDatabase } from "@shared/node/database.ts";
import { commitChange } from "@shared/node/event-log.ts";
import { createLogger } from "@shared/node/logger.ts";
import { enqueueSignal, openQueue } from "@shared/node/queue.ts";
import type { SignalOrigin } from "@shared/node/signals/mark-started.ts";
import { newSignalId, queueSignal } from "@shared/node/signals/signal-transitions.ts";
import { userStream } from "@shared/node/streams.ts";
import { createUser } from "@shared/testing/factories.ts";
import { type SpawnedPart, spawnPart } from "@shared/testing/spawn-part.ts";
import { type StandInExchange, startStandInExchange } from "@shared/testing/stand-in-exchange.ts";
import { testDatabaseUri } from "@shared/testing/test-mongo.ts";
import type { Agenda } from "agenda";
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from "vitest";

/** The promise: within 90 s of the death; the test has to be quicker than that to be of use. */
const WITHIN = { timeout: 60_000, interval: 100 };
/** Not the one that the worker reads the markets' prices with. */
const TIMEFRAME = "15m";

describe("a worker that dies or stops in the middle of an analysis", () => {
  const uri = testDatabaseUri();
  const parts: SpawnedPart[] = [];
  let database: Database;
  let queue: Agenda;
  let exchange: StandInExchange;

  beforeAll(async () => {
    database = await openDatabase({ uri });
    const logger = createLogger({ part: "test", level: "silent" });
    queue = await openQueue({ database, logger, workerId: "test" });
    exchange = await startStandInExchange();
  });
  afterEach(async () => {
    await Promise.all(parts.splice(0).map((part) => part.kill()));
    exchange.reset();
  });
  afterAll(async () => {
    await exchange.close();
    await database.close();
  });

  const startWorker = async (): Promise<SpawnedPart> => {
    const part = await spawnPart("worker", {
      MONGODB_URI: uri,
      JWT_SECRET: "a test secret of more than 32 characters",
      ADMIN_PASSWORD: "correct horse",
      MARKET_DATA: "live",
      EXCHANGES: "binance",
      EXCHANGE_URL: exchange.url,
    });
    parts.push(part);
    return part;
  };
  const storeSignal = async (): Promise<SignalOrigin> => {
    const user = await createUser(database, { approved: true });
    const id = newSignalId();
    const request = signalRequestSchema.parse({ symbol: "BTC/USDT", timeframe: TIMEFRAME });
    await commitChange(database, { serializeOn: id.toString() }, (change) =>
      queueSignal(database, change, { id, userId: user._id, request }),
    );
    return { _id: id, userId: user._id };
  };
  const eventsOf = async ({ userId }: SignalOrigin): Promise<string[]> => {
    const events = await database.events
      .find({ stream: userStream(userId) })
      .sort({ seq: 1 })
      .lean();
    return events.map((event) => event.name);
  };
  const untilFinished = ({ _id }: SignalOrigin) =>
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
  const stallMidway = async (signal: SignalOrigin) => {
    exchange.behave("stalled-headers", { subject: "candles" });
    await enqueueSignal(queue, signal);
    await untilAsked();
  };

  it("kill -9: another worker takes the signal over and it completes once", async () => {
    const victim = await startWorker();
    const signal = await storeSignal();
    await stallMidway(signal);
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

  it("SIGTERM: the worker finishes what it has begun before it ends", async () => {
    const worker = await startWorker();
    const signal = await storeSignal();
    exchange.behave("slow", { subject: "candles" });
    await enqueueSignal(queue, signal);
    await untilAsked();
    expect(await worker.stop()).toBe(0);
    expect(await eventsOf(signal)).toEqual(["signal:queued", "signal:started", "signal:completed"]);
  }, 60_000);

  it("a signal whose server died before queueing it is found and made", async () => {
    const signal = await storeSignal();
    await startWorker();
    await untilFinished(signal);
    expect(await eventsOf(signal)).toEqual(["signal:queued", "signal:started", "signal:completed"]);
  }, 90_000);
});
