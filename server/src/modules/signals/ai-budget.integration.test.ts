import { eventSchemas } from "@shared/contract/events/event-data.ts";
import { type SignalResponse, signalResponseSchema } from "@shared/contract/signal.ts";
import type { Database } from "@shared/database/database.ts";
import type { UserRecord } from "@shared/database/models/user.ts";
import { readAiSpending } from "@shared/domain/ai-budget.ts";
import { ADMINS_STREAM } from "@shared/outbox/streams.ts";
import { multipartForm, PushClient } from "@shared/testing/api-client.ts";
import { createUser, signTokenFor } from "@shared/testing/factories.ts";
import { chartImage } from "@shared/testing/images.ts";
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from "vitest";
import { type LiveProduct, startLiveProduct } from "../../testing/start-live-server.ts";

const WAIT = { timeout: 15_000, interval: 50 };
/** With the prices of the workers, each call costs 1 dollar of a budget of 10. */
const USAGE = { promptTokens: 7_000, completionTokens: 1_000 };
const USED_UP = "The daily analysis budget is used up.";

describe("a daily AI budget, with two workers", () => {
  let product: LiveProduct;
  let database: Database;
  let openai: LiveProduct["openai"];
  let chart: Buffer;
  let user: UserRecord;
  let startedAt: Date;
  /** Each request for another number of candles needs an analysis of its own. */
  let limit = 50;

  beforeAll(async () => {
    product = await startLiveProduct({
      workers: 2,
      workerEnv: {
        OPENAI_PRICE_PROMPT: "100",
        OPENAI_PRICE_COMPLETION: "300",
        OPENAI_BUDGET_USD_PER_DAY: "10",
        OPENAI_MAX_OUTPUT_TOKENS: "1234",
      },
    });
    ({ database, openai } = product);
    chart = await chartImage(1).png().toBuffer();
  });
  beforeEach(async () => {
    openai.reset();
    openai.behave({ kind: "advice", usage: USAGE });
    await database.aiSpending.deleteMany();
    startedAt = new Date();
    const rights = { approved: true, allowImageUpload: true, imageCredits: 2 };
    user = await createUser(database, rights);
  });
  afterAll(() => product.stop());

  const call = async (path: string, init: RequestInit): Promise<SignalResponse> => {
    const response = await product.call(user, path, { method: "POST", ...init });
    expect(response.status).toBe(200);
    return signalResponseSchema.parse(await response.json());
  };
  const ask = (candles: number) =>
    call("/get-signal", {
      body: JSON.stringify({ symbol: "BTC/USDT", timeframe: "4h", limit: candles }),
      headers: { "content-type": "application/json" },
    });
  const askWithImage = () =>
    call("/get-signal-with-image", {
      body: multipartForm({ symbol: "BTC/USDT", timeframe: "4h", chart_image: chart }),
    });
  const askForMany = (count: number) =>
    Promise.all(
      Array.from({ length: count }, () => {
        limit += 1;
        return ask(limit);
      }),
    );
  const reached = async () => {
    const events = await database.events
      .find({ stream: ADMINS_STREAM, name: "budget:reached", at: { $gte: startedAt } })
      .sort({ seq: 1 })
      .lean();
    return events.map(({ data }) => eventSchemas["budget:reached"].parse(data));
  };
  const spentUsd = () => readAiSpending(database, new Date());
  const creditsLeft = async () => (await database.users.findById(user._id).lean())?.imageCredits;

  it("notifies administrators once at 80 and once at 100 percent, however many calls end at once", async () => {
    const root = await createUser(database, { role: "admin", approved: true });
    const admin = new PushClient({
      url: product.server.url,
      token: signTokenFor(root, product.settings),
    });
    await vi.waitFor(() => expect(admin.socket.connected).toBe(true), WAIT);
    const allAreAsked = vi.waitFor(() => expect(openai.chats).toHaveLength(20), WAIT);
    openai.behave({ kind: "advice", usage: USAGE, heldUntil: allAreAsked });
    const answers = askForMany(20);
    await allAreAsked;
    expect((await answers).map(({ status }) => status)).toEqual(
      Array.from({ length: 20 }, () => "completed"),
    );
    expect(openai.chats[0]?.body.max_completion_tokens).toBe(1_234);
    expect(await spentUsd()).toBe(20);
    const events = [
      { percent: 80, spent_usd: 8, budget_usd: 10 },
      { percent: 100, spent_usd: 10, budget_usd: 10 },
    ];
    expect(await reached()).toEqual(events);
    await vi.waitFor(() => expect(admin.named("budget:reached")).toHaveLength(2), WAIT);
    expect(admin.named("budget:reached").map(({ data }) => data)).toEqual(events);
    admin.close();
  }, 60_000);

  it("ends new analyses as failed once it is used up, and answers from those that exist", async () => {
    limit += 1;
    const first = await ask(limit);
    await askForMany(9);
    expect(await spentUsd()).toBe(10);
    const [refused] = await askForMany(1);
    expect(refused).toMatchObject({ status: "failed", analysis: { final_signal: "WAIT" } });
    expect(refused?.analysis?.warnings).toEqual([USED_UP]);
    expect((await askWithImage()).analysis?.warnings).toEqual([USED_UP]);
    expect(await creditsLeft()).toBe(2);
    expect(openai.chats).toHaveLength(10);
    const again = await ask(limit - 10);
    expect(again).toMatchObject({ status: "completed" });
    expect(again.analysis?.source.analysis_id).toBe(first.analysis?.source.analysis_id);
    expect(await database.jobs.countDocuments({ name: "generate-signal" })).toBe(0);
    await database.aiSpending.updateOne({}, { $set: { nanoUsd: 0 } });
    expect(await askForMany(1)).toMatchObject([{ status: "completed" }]);
  }, 60_000);

  it("pays for one call when the model refuses a chart image, and the user gets the credit back", async () => {
    openai.behave({ kind: "refusal", usage: USAGE });
    const { status, analysis } = await askWithImage();
    expect(status).toBe("failed");
    expect(analysis?.warnings).toEqual([
      "AI or data fetch failed",
      "The AI model declined this request.",
    ]);
    expect(openai.chats).toHaveLength(1);
    expect(await spentUsd()).toBe(1);
    expect(await creditsLeft()).toBe(2);
    expect(await database.jobs.countDocuments({ name: "generate-signal" })).toBe(0);
  }, 60_000);

  it("charges the fourth of four refused chart images, also when all are refused at once", async () => {
    await database.users.updateOne({ _id: user._id }, { $set: { imageCredits: 4 } });
    const allAreAsked = vi.waitFor(() => expect(openai.chats).toHaveLength(4), WAIT);
    openai.behave({ kind: "refusal", usage: USAGE, heldUntil: allAreAsked });
    const answers = await Promise.all(Array.from({ length: 4 }, () => askWithImage()));
    expect(answers.map(({ status }) => status)).toEqual(["failed", "failed", "failed", "failed"]);
    const charged = answers.filter(({ analysis }) =>
      analysis?.warnings.includes(
        "The image credit was not refunded: chart images that the model declines are refunded at most 3 times a day.",
      ),
    );
    expect(charged).toHaveLength(1);
    expect(await creditsLeft()).toBe(3);
    expect(openai.chats).toHaveLength(4);
  }, 60_000);

  it("returns the credit of every chart image that the model answers without advice", async () => {
    await database.users.updateOne({ _id: user._id }, { $set: { imageCredits: 4 } });
    openai.behave({ kind: "content", content: "Nice chart!", usage: USAGE });
    for (let sent = 0; sent < 4; sent += 1) {
      expect(await askWithImage()).toMatchObject({ status: "failed" });
    }
    expect(await creditsLeft()).toBe(4);
    expect(openai.chats).toHaveLength(4 * 3);
    expect(await spentUsd()).toBe(4 * 3);
  }, 60_000);

  it("returns the credit of a chart image of another market, with that as the warning of a WAIT", async () => {
    const chart = { chart_symbol: "ETHUSDT", chart_last_price: null, chart_timeframe: "4h" };
    openai.behave({ kind: "advice", advice: chart, usage: USAGE });
    const { status, analysis } = await askWithImage();
    expect(status).toBe("completed");
    expect(analysis).toMatchObject({
      final_signal: "WAIT",
      entry: null,
      raw_ai: { chart_reading: { symbol: "ETHUSDT", last_price: null, timeframe: "4h" } },
    });
    expect(analysis?.warnings.filter((text) => text.includes("chart image"))).toEqual([
      'The chart image seems to show "ETHUSDT", not BTC/USDT, so this is a WAIT. Its credit was returned.',
    ]);
    expect(await creditsLeft()).toBe(2);
  }, 60_000);
});
