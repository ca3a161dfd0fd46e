import { signalRequestSchema } from "@shared/contract/signal.ts";
import { type Database, openDatabase } from "@shared/node/database.ts";
import { commitChange, userStream } from "@shared/node/event-log.ts";
import { createLogger } from "@shared/node/logger.ts";
import { enqueueSignal, openQueue } from "@shared/node/queue.ts";
import { newSignalId, queueSignal } from "@shared/node/signals/signal-transitions.ts";
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
    queue = await openQueue({ database, logger, role: "adds" });
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
  const storeSignal = async (): Promise<{ id: string; userId: string }> => {
    const user = await createUser(database, { approved: true });
    const id = newSignalId();
    const request = signalRequestSchema.parse({ symbol: "BTC/USDT", timeframe: TIMEFRAME });
    await commitChange(database, { serializeOn: id.toString() }, (change) =>
      queueSignal(database, change, { id, userId: user._id, request }),
    );
    return { id: id.toString(), userId: user._id.toString() };
  };
  const eventsOf = async (userId: string): Promise<string[]> => {
    const events = await database.events
      .find({ stream: userStream(userId) })
      .sort({ seq: 1 })
      .lean();
    return events.map((event) => event.name);
  };
  const untilFinished = (id: string) =>
    vi.waitFor(async () => {
      const signal = await database.signals.findById(id).lean();
      expect(signal?.status).toBe("completed");
    }, WITHIN);
  const untilAsked = () =>
    vi.waitFor(() => {
      const asked = exchange.requests.filter(
        ({ parameters }) => parameters.get("interval") === TIMEFRAME,
      );
      expect(asked).toHaveLength(1);
    }, WITHIN);
  const stallMidway = async (id: string) => {
    exchange.behave("stalled-headers", { subject: "candles" });
    await enqueueSignal(queue, id);
    await untilAsked();
  };

  it("kill -9: another worker takes the signal over and it completes once", async () => {
    const victim = await startWorker();
    const { id, userId } = await storeSignal();
    await stallMidway(id);
    await victim.kill();
    exchange.behave("ok");
    await startWorker();
    await untilFinished(id);
    expect(await eventsOf(userId)).toEqual([
      "signal:queued",
      "signal:started",
      "signal:started",
      "signal:completed",
    ]);
  }, 90_000);

  it("SIGTERM: the worker finishes what it has begun before it ends", async () => {
    const worker = await startWorker();
    const { id, userId } = await storeSignal();
    exchange.behave("slow", { subject: "candles" });
    await enqueueSignal(queue, id);
    await untilAsked();
    expect(await worker.stop()).toBe(0);
    expect(await eventsOf(userId)).toEqual(["signal:queued", "signal:started", "signal:completed"]);
  }, 60_000);

  it("a signal whose server died before queueing it is found and made", async () => {
    const { id, userId } = await storeSignal();
    await startWorker();
    await untilFinished(id);
    expect(await eventsOf(userId)).toEqual(["signal:queued", "signal:started", "signal:completed"]);
  }, 90_000);
});
