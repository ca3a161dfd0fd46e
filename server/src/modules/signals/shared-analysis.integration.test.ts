import { TIMEFRAME_MS } from "@shared/contract/market-data.ts";
import { type SignalResponse, signalResponseSchema } from "@shared/contract/signal.ts";
import type { Database } from "@shared/database/database.ts";
import type { UserRecord } from "@shared/database/models/user.ts";
import { userStream } from "@shared/outbox/streams.ts";
import { createUsers } from "@shared/testing/factories.ts";
import { recordedCandles } from "@shared/testing/recorded-candles.ts";
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from "vitest";
import { type LiveProduct, startLiveProduct } from "../../testing/start-live-server.ts";

const USERS = 24;
/** Of the newest closed candle, at which the market stays: those who come last still get the trade. */
function lastClose(): number {
  const lengthMs = TIMEFRAME_MS["4h"];
  const from = Math.floor(Date.now() / lengthMs) * lengthMs - lengthMs;
  const [candle] = recordedCandles({ symbol: "BTC/USDT", timeframe: "4h", from, count: 1 });
  if (!candle) throw new Error("there is no recorded candle");
  return candle.close;
}

const WAIT = { timeout: 30_000, interval: 100 };

describe("an analysis that several users ask for", () => {
  let product: LiveProduct;
  let database: Database;
  let openai: LiveProduct["openai"];
  /** Each test has a market of its own. */
  let limit = 50;

  beforeAll(async () => {
    product = await startLiveProduct({ servers: 2, workers: 2 });
    ({ database, openai } = product);
  });
  beforeEach(() => {
    openai.reset();
    limit += 1;
    product.exchange.setMinutePrice("BTC/USDT", lastClose());
  });
  afterAll(() => product.stop());

  const traders = (count: number) => createUsers(database, count, { approved: true });
  const ask = async (user: UserRecord, index = 0, extra: object = {}): Promise<SignalResponse> => {
    const response = await product.call(user, "/get-signal", {
      method: "POST",
      body: JSON.stringify({ symbol: "BTC/USDT", timeframe: "4h", limit, leverage: 125, ...extra }),
      headers: { "content-type": "application/json" },
      server: product.servers[index % 2],
    });
    expect(response.status).toBe(200);
    return signalResponseSchema.parse(await response.json());
  };
  const eventsOf = async (user: UserRecord) => {
    const events = await database.events.find({ stream: userStream(user._id) }).sort({ seq: 1 });
    return events.map(({ name }) => name);
  };
  const untilNoWorkIsLeft = () =>
    vi.waitFor(async () => {
      const name = { $in: ["generate-signal", "check-entry"] };
      expect(await database.jobs.countDocuments({ name })).toBe(0);
    }, WAIT);
  const LIFE = ["signal:queued", "signal:started", "signal:completed"];

  it("is made once for all of them, over two servers and two workers, each with their own size", async () => {
    const users = await traders(USERS);
    const answers = await Promise.all(
      users.map((user, index) => ask(user, index, { amount: 100 * (index + 1) })),
    );
    expect(openai.chats).toHaveLength(1);
    const analyses = new Set(answers.map(({ analysis }) => analysis?.source.analysis_id));
    expect(analyses.size).toBe(1);
    for (const [index, { status, origin, analysis }] of answers.entries()) {
      expect({ status, origin }).toEqual({ status: "completed", origin: "request" });
      expect(analysis?.estimated_dollar_risk).toBeCloseTo(index + 1, 6);
    }
    for (const user of users) expect(await eventsOf(user)).toEqual(LIFE);
    await untilNoWorkIsLeft();
    const unfinished = { _id: { $in: users.map(({ _id }) => _id) }, unfinishedSignals: { $ne: 0 } };
    expect(await database.users.countDocuments(unfinished)).toBe(0);
  }, 60_000);

  const priceOf = ({ analysis }: SignalResponse): number => {
    const price = analysis?.source.price;
    if (!price) throw new Error("the analysis has no price");
    return price;
  };

  it("answers later requests without the AI, with the same events", async () => {
    const [first, second] = await traders(2);
    if (!first || !second) throw new Error("there are no traders");
    const one = await ask(first);
    product.exchange.setMinutePrice("BTC/USDT", priceOf(one));
    const two = await ask(second, 1, { amount: 700 });
    expect(openai.chats).toHaveLength(1);
    expect(two.signal_id).not.toBe(one.signal_id);
    expect(two.analysis?.source).toEqual(one.analysis?.source);
    expect(two.analysis?.raw_ai).toEqual(one.analysis?.raw_ai);
    expect(two.analysis?.estimated_dollar_risk).toBeCloseTo(7, 6);
    expect(await eventsOf(second)).toEqual(LIFE);
    const analyses = await database.marketAnalyses.find({ limit }).lean();
    expect(analyses).toMatchObject([{ joinedSignals: 1, revision: 1, status: "completed" }]);
    await untilNoWorkIsLeft();
  });

  it("is a WAIT for those who ask a moment after its stop was touched, also while no watch ran", async () => {
    const [first, late] = await traders(2);
    if (!first || !late) throw new Error("there are no traders");
    const one = await ask(first);
    product.exchange.setMinutePrice("BTC/USDT", one.analysis?.stop_loss ?? 0);
    const { analysis, status } = await ask(late, 1);
    expect({ status, analysis }).toMatchObject({
      status: "completed",
      analysis: { final_signal: "WAIT", suggested_units: 0, raw_ai: one.analysis?.raw_ai },
    });
    expect(analysis?.warnings).toEqual([expect.stringMatching(/^The entry is missed: .*UTC\.$/)]);
    expect(openai.chats).toHaveLength(1);
  });

  it("is another one for other candles", async () => {
    const [user] = await traders(1);
    if (!user) throw new Error("there is no trader");
    const one = await ask(user);
    const two = await ask(user, 0, { limit: limit + 300 });
    expect(two.analysis?.source.analysis_id).not.toBe(one.analysis?.source.analysis_id);
    expect(openai.chats).toHaveLength(2);
  });

  it("is not kept when it failed: the next request tries again", async () => {
    const [first, second] = await traders(2);
    if (!first || !second) throw new Error("there are no traders");
    openai.behave({ kind: "status", status: 401 });
    expect(await ask(first)).toMatchObject({ status: "failed" });
    openai.reset();
    expect(await ask(second)).toMatchObject({ status: "completed" });
    expect(openai.chats).toHaveLength(1);
  });

  it("is a WAIT for those who ask after its entry was missed, with the one reason", async () => {
    const [first, late] = await traders(2);
    if (!first || !late) throw new Error("there are no traders");
    const one = await ask(first);
    expect(one.analysis?.final_signal).toBe("BUY");
    const entryLeft = { price: 123.5, at: new Date("2026-01-02T14:05:00Z") };
    const { analysis_id: _id } = one.analysis?.source ?? {};
    await database.marketAnalyses.updateOne({ _id }, { $set: { entryLeft } });
    const { analysis, status } = await ask(late);
    expect(status).toBe("completed");
    expect(analysis).toMatchObject({
      final_signal: "WAIT",
      confidence: 0,
      entry: null,
      stop_loss: null,
      take_profit: null,
      suggested_units: 0,
      estimated_dollar_risk: 0,
      required_margin: 0,
      raw_ai: one.analysis?.raw_ai,
      source: { analysis_id: _id },
    });
    expect(analysis?.warnings).toEqual([
      expect.stringMatching(/missed: the price was 123\.5 at 14:05 UTC\. .* at \d\d:00 UTC\.$/),
    ]);
    expect(openai.chats).toHaveLength(1);
  });

  it("is one for many requests of one user at once, whose events are numbered without a gap", async () => {
    const [user] = await traders(1);
    if (!user) throw new Error("there is no trader");
    const responses = await Promise.all(
      Array.from({ length: USERS }, (_, index) =>
        product.call(user, "/get-signal", {
          method: "POST",
          body: JSON.stringify({ symbol: "BTC/USDT", timeframe: "4h", limit }),
          headers: { "content-type": "application/json", prefer: "respond-async" },
          server: product.servers[index % 2],
        }),
      ),
    );
    expect(new Set(responses.map(({ status }) => status))).toEqual(new Set([202]));
    const completed = () =>
      database.signals.countDocuments({ userId: user._id, status: "completed" });
    await vi.waitFor(async () => expect(await completed()).toBe(USERS), WAIT);
    const events = await database.events.find({ stream: userStream(user._id) }).sort({ seq: 1 });
    // Where the market moves just then, more is published about the signals that are there.
    expect(events.map(({ seq }) => seq)).toEqual(events.map((_, index) => index + 1));
    expect(events.filter(({ name }) => LIFE.includes(name))).toHaveLength(USERS * LIFE.length);
  }, 60_000);

  it("is made once more, for all of them, after the crash of its worker", async () => {
    const users = await traders(4);
    openai.behave({ kind: "advice", delayMs: 3_000 });
    const answers = Promise.all(users.map((user, index) => ask(user, index)));
    await vi.waitFor(() => expect(openai.chats).toHaveLength(1), WAIT);
    const analysis = await database.marketAnalyses.findOne({ limit, status: "running" }).lean();
    const job = await database.jobs.findById(analysis?._id).lean();
    const crashed = product.workers.find(({ pid }) => job?.lastModifiedBy?.includes(`:${pid}:`));
    if (crashed) await product.crash(crashed);
    openai.behave({ kind: "advice" });
    const finished = await answers;
    expect(new Set(finished.map(({ status }) => status))).toEqual(new Set(["completed"]));
    expect(openai.chats).toHaveLength(2);
    for (const user of users) {
      expect(await eventsOf(user)).toEqual([
        "signal:queued",
        "signal:started",
        "signal:started",
        "signal:completed",
      ]);
    }
  }, 90_000);
});
