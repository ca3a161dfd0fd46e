import { signalAcceptedSchema } from "@shared/contract/signal.ts";
import { changeCredits } from "@shared/node/credits.ts";
import { type Database, openDatabase } from "@shared/node/database.ts";
import { createLogger } from "@shared/node/logger.ts";
import type { UserRecord } from "@shared/node/models/user.ts";
import { loadSettings } from "@shared/node/settings.ts";
import { commit } from "@shared/outbox/commit.ts";
import { ADMINS_STREAM } from "@shared/outbox/streams.ts";
import { createUser, signTokenFor } from "@shared/testing/factories.ts";
import { multipartForm } from "@shared/testing/multipart-form.ts";
import { chartPicture } from "@shared/testing/pictures.ts";
import { type SpawnedPart, spawnPart } from "@shared/testing/spawn-part.ts";
import { type StandInExchange, startStandInExchange } from "@shared/testing/stand-in-exchange.ts";
import { type StandInOpenAi, startStandInOpenAi } from "@shared/testing/stand-in-openai.ts";
import { testDatabaseUri } from "@shared/testing/test-mongo.ts";
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from "vitest";
import { startServer } from "../start-server.ts";

const secrets = {
  JWT_SECRET: "a test secret of more than 32 characters",
  ADMIN_PASSWORD: "correct horse",
};
const settings = { ...loadSettings({ ...secrets, RATE_LIMIT: "off" }), API_PORT: 0 };

/** The promise is 90 s from the death. */
const WITHIN = { timeout: 90_000, interval: 50 };

const GRANTED = 2;

describe("image credits when the worker dies", () => {
  const uri = testDatabaseUri("image-worker-death");
  const workers: SpawnedPart[] = [];
  let database: Database;
  let server: Awaited<ReturnType<typeof startServer>>;
  let exchange: StandInExchange;
  let openai: StandInOpenAi;
  let chart: Buffer;

  beforeAll(async () => {
    database = await openDatabase({ uri });
    exchange = await startStandInExchange();
    openai = await startStandInOpenAi();
    const logger = createLogger({ part: "server", level: "silent" });
    server = await startServer({ settings, database, logger });
    chart = await chartPicture(1).png().toBuffer();
  });
  afterEach(async () => {
    await Promise.all(workers.splice(0).map((worker) => worker.kill()));
    exchange.reset();
    openai.reset();
  });
  afterAll(async () => {
    await server.stop();
    await Promise.all([database.close(), exchange.close(), openai.close()]);
  });

  const startWorker = async (): Promise<SpawnedPart> => {
    const worker = await spawnPart("worker", {
      ...secrets,
      MONGODB_URI: uri,
      MARKET_DATA: "live",
      EXCHANGES: "binance",
      EXCHANGE_URL: exchange.url,
      OPENAI_API_KEY: "sk-test",
      OPENAI_BASE_URL: openai.baseUrl,
    });
    workers.push(worker);
    return worker;
  };
  const trader = async (): Promise<UserRecord> => {
    const user = await createUser(database, { approved: true, allowImageUpload: true });
    const grant = { kind: "grant", amount: GRANTED, by: "admin", why: "test" } as const;
    await commit(database, { lockKeys: ADMINS_STREAM }, (uow) =>
      changeCredits(database, uow, { userId: user._id, ...grant }),
    );
    return user;
  };
  const ask = async (symbol: string): Promise<{ user: UserRecord; signalId: string }> => {
    const user = await trader();
    const response = await fetch(`http://localhost:${server.port}/get-signal-with-image`, {
      method: "POST",
      headers: {
        authorization: `Bearer ${signTokenFor(user, settings)}`,
        prefer: "respond-async",
      },
      body: multipartForm({ symbol, timeframe: "1h", chart_image: chart }),
    });
    const { signal_id } = signalAcceptedSchema.parse(await response.json());
    return { user, signalId: signal_id };
  };
  const statusOf = async (signalId: string) =>
    (await database.signals.findById(signalId).lean())?.status;
  const statusesOf = (asked: { signalId: string }[]) =>
    Promise.all(asked.map(({ signalId }) => statusOf(signalId)));
  const askForEach = (symbols: string[]) => Promise.all(symbols.map(ask));
  const untilAll = (asked: { signalId: string }[], ended: string[]) =>
    vi.waitFor(async () => {
      for (const status of await statusesOf(asked)) expect(ended).toContain(status);
    }, WITHIN);
  const ledgerOf = async ({ user }: { user: UserRecord }) => {
    const entries = await database.creditEntries.find({ userId: user._id }).sort({ at: 1 }).lean();
    return entries.map((entry) => entry.amount);
  };
  /** The ledger adds up to the balance, and says what came of the signal. */
  const expectFairness = async (asked: { user: UserRecord; signalId: string }) => {
    const ledger = await ledgerOf(asked);
    const failed = (await statusOf(asked.signalId)) === "failed";
    expect(ledger).toEqual(failed ? [GRANTED, -1, 1] : [GRANTED, -1]);
    const user = await database.users.findById(asked.user._id).lean();
    expect(user?.imageCredits).toBe(ledger.reduce((sum, amount) => sum + amount, 0));
  };

  it("kill -9 at every step of the pipeline: an analysis is paid once, a failure is not paid", async () => {
    const victim = await startWorker();
    openai.behave(({ text }) => {
      if (text.includes("ETH/USDT")) return { kind: "stalled-headers" };
      if (text.includes("LTC/USDT")) return { kind: "stalled-body" };
      if (text.includes("XRP/USDT")) return { kind: "status", status: 500 };
      return { kind: "advice", delayMs: 20 };
    });
    const finished = await askForEach(["BTC/USDT", "BTC/USDT"]);
    await untilAll(finished, ["completed"]);
    const atTheAi = await askForEach(["ETH/USDT", "LTC/USDT", "XRP/USDT"]);
    await vi.waitFor(() => expect(openai.chats.length).toBeGreaterThanOrEqual(5), WITHIN);
    exchange.behave("stalled-headers", { subject: "candles" });
    const atTheExchange = await askForEach(["BNB/USDT", "BNB/USDT"]);
    const anywhere = await askForEach(Array.from({ length: 8 }, () => "BTC/USDT"));
    await victim.kill();
    exchange.reset();
    openai.behave(({ text }) =>
      text.includes("XRP/USDT") || text.includes("LTC/USDT")
        ? { kind: "status", status: 500 }
        : { kind: "advice" },
    );
    await startWorker();
    const all = [...finished, ...atTheAi, ...atTheExchange, ...anywhere];
    await untilAll(all, ["completed", "failed"]);
    expect(await statusesOf(atTheAi)).toEqual(["completed", "failed", "failed"]);
    for (const asked of all) await expectFairness(asked);
  }, 120_000);

  it("a signal that has taken its workers down three times is given up, and the credit is back", async () => {
    const asked = await ask("BTC/USDT");
    const signal = await database.signals.findById(asked.signalId).lean();
    const interrupted = { revision: 3, status: "running" };
    await database.marketAnalyses.updateOne({ _id: signal?.analysisId }, { $set: interrupted });
    await startWorker();
    await untilAll([asked], ["failed"]);
    expect(await ledgerOf(asked)).toEqual([GRANTED, -1, 1]);
    await expectFairness(asked);
  }, 90_000);
});
