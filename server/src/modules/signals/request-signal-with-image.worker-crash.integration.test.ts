import { signalAcceptedSchema } from "@shared/contract/signal.ts";
import type { Database } from "@shared/database/database.ts";
import type { UserRecord } from "@shared/database/models/user.ts";
import { changeCredits } from "@shared/domain/credits.ts";
import { commit } from "@shared/outbox/commit.ts";
import { ADMINS_STREAM } from "@shared/outbox/streams.ts";
import { multipartForm } from "@shared/testing/api-client.ts";
import { createUser } from "@shared/testing/factories.ts";
import { chartImage } from "@shared/testing/images.ts";
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from "vitest";
import { type LiveProduct, startLiveProduct } from "../../testing/start-live-server.ts";

/** The promise is 90 s from the death. */
const WITHIN = { timeout: 90_000, interval: 200 };

const GRANTED = 2;

describe("image credits when the worker dies", () => {
  let product: LiveProduct;
  let database: Database;
  let exchange: LiveProduct["exchange"];
  let openai: LiveProduct["openai"];
  let chart: Buffer;

  beforeAll(async () => {
    product = await startLiveProduct({ workers: 0 });
    ({ database, exchange, openai } = product);
    chart = await chartImage(1).png().toBuffer();
  });
  afterEach(() => {
    exchange.reset();
    openai.reset();
  });
  afterAll(() => product.stop());

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
    const request = () =>
      product.call(user, "/get-signal-with-image", {
        method: "POST",
        headers: { prefer: "respond-async", "idempotency-key": "the-only-one" },
        body: multipartForm({ symbol, timeframe: "1h", chart_image: chart }),
      });
    // A busy server refuses a request with 503, which its user sends again.
    const response = await vi.waitFor(async () => {
      const answer = await request();
      expect(answer.status, await answer.clone().text()).not.toBe(503);
      return answer;
    }, WITHIN);
    expect(response.status, await response.clone().text()).toBe(202);
    const { signal_id } = signalAcceptedSchema.parse(await response.json());
    return { user, signalId: signal_id };
  };
  /** In the order of `asked`. */
  const statusesOf = async (asked: { signalId: string }[]) => {
    const ids = asked.map(({ signalId }) => signalId);
    const signals = await database.signals.find({ _id: { $in: ids } }, { status: 1 }).lean();
    const statuses = new Map(signals.map(({ _id, status }) => [String(_id), status]));
    return ids.map((id) => statuses.get(id));
  };
  const askForEach = (symbols: string[]) => Promise.all(symbols.map(ask));
  const untilAll = (asked: { signalId: string }[], ended: string[]) =>
    vi.waitUntil(
      async () => (await statusesOf(asked)).every((status) => ended.includes(String(status))),
      WITHIN,
    );
  const ledgerOf = async ({ user }: { user: UserRecord }) => {
    const entries = await database.creditEntries.find({ userId: user._id }).sort({ at: 1 }).lean();
    return entries.map((entry) => entry.amount);
  };
  /** The ledger adds up to the balance, and says what came of the signal. */
  const expectFairness = async (asked: { user: UserRecord; signalId: string }) => {
    const ledger = await ledgerOf(asked);
    const [status] = await statusesOf([asked]);
    const failed = status === "failed";
    expect(ledger).toEqual(failed ? [GRANTED, -1, 1] : [GRANTED, -1]);
    const user = await database.users.findById(asked.user._id).lean();
    expect(user?.imageCredits).toBe(ledger.reduce((sum, amount) => sum + amount, 0));
  };

  it("a signal that has taken its workers down three times is given up, and the credit is back", async () => {
    const asked = await ask("BTC/USDT");
    const signal = await database.signals.findById(asked.signalId).lean();
    const interrupted = { revision: 3, status: "running" };
    await database.marketAnalyses.updateOne({ _id: signal?.analysisId }, { $set: interrupted });
    // The next test takes this worker down.
    await product.startWorker();
    await untilAll([asked], ["failed"]);
    expect(await ledgerOf(asked)).toEqual([GRANTED, -1, 1]);
    await expectFairness(asked);
  }, 90_000);

  it("kill -9 at every step of the pipeline: an analysis is paid once, a failure is not paid", async () => {
    const [victim] = product.workers;
    openai.behave(({ text }) => {
      if (text.includes("ETH/USDT")) return { kind: "stalled-headers" };
      if (text.includes("LTC/USDT")) return { kind: "stalled-body" };
      if (text.includes("XRP/USDT")) return { kind: "status", status: 500 };
      return { kind: "advice", delayMs: 20 };
    });
    const finished = await askForEach(["BTC/USDT", "BTC/USDT"]);
    await untilAll(finished, ["completed"]);
    const atTheAi = await askForEach(["ETH/USDT", "LTC/USDT", "XRP/USDT"]);
    await vi.waitFor(() => expect(openai.chats.length).toBeGreaterThanOrEqual(2 * 5), WITHIN);
    exchange.behave("stalled-headers", { subject: "candles" });
    const atTheExchange = await askForEach(["BNB/USDT", "BNB/USDT"]);
    const anywhere = await askForEach(Array.from({ length: 8 }, () => "BTC/USDT"));
    if (victim) await product.crash(victim);
    exchange.reset();
    openai.behave(({ text }) =>
      text.includes("XRP/USDT") || text.includes("LTC/USDT")
        ? { kind: "status", status: 500 }
        : { kind: "advice" },
    );
    await product.startWorker();
    const all = [...finished, ...atTheAi, ...atTheExchange, ...anywhere];
    await untilAll(all, ["completed", "failed"]);
    expect(await statusesOf(atTheAi)).toEqual(["completed", "failed", "failed"]);
    for (const asked of all) await expectFairness(asked);
  }, 120_000);
});
