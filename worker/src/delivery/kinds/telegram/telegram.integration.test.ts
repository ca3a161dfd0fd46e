import { type Database, openDatabase } from "@shared/database/database.ts";
import type { ChannelRecord } from "@shared/database/models/channel.ts";
import type { UserRecord } from "@shared/database/models/user.ts";
import { userStream } from "@shared/outbox/streams.ts";
import { createChannel, createDelivery, createUser } from "@shared/testing/factories.ts";
import { type FakeTelegram, startFakeTelegram } from "@shared/testing/fakes/fake-telegram.ts";
import { createSignals } from "@shared/testing/signal-factory.ts";
import { testDatabaseUri } from "@shared/testing/test-mongo.ts";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { type DeliveryStage, deliveryStage } from "../../../testing/delivery-stage.ts";
import { TelegramPace, telegramApi } from "./telegram-api.ts";
import { telegramSender } from "./telegram-bot.ts";

const TOKEN = "123:telegram-secret";
const OUTCOME = { outcome: "WIN" as const, resolved_at: "2026-11-21T10:00:00.000Z" };

describe("delivery to Telegram", () => {
  let database: Database;
  let telegram: FakeTelegram;
  let stage: DeliveryStage;
  let ann: UserRecord;
  let isReady: boolean;
  beforeAll(async () => {
    database = await openDatabase({ uri: testDatabaseUri() });
  });
  beforeEach(async () => {
    telegram = await startFakeTelegram(TOKEN);
    isReady = true;
    stage = stageWith(telegram.url);
    await database.channels.deleteMany();
    ann = await createUser(database);
    return () => telegram.close();
  });
  afterAll(() => database.close());

  const stageWith = (url: string) =>
    deliveryStage(database, {
      telegram: telegramSender({
        database,
        api: telegramApi(TOKEN, url),
        pace: new TelegramPace(),
        origin: "https://app.example.com",
        isReady: () => isReady,
      }),
    });
  const addChat = (chatId = "77", user = ann) =>
    createChannel(stage, user, {
      url: "",
      kind: "telegram",
      target: stage.channelSecrets.seal({ kind: "telegram", chatId }),
    });
  const resolve = (signal_id: string) =>
    stage.addEvent(ann, "signal:outcome", { signal_id, ...OUTCOME });
  const deliveriesOf = ({ _id }: ChannelRecord) =>
    database.deliveries.find({ channelId: _id }).sort({ order: 1 }).lean();

  it("sends the events of a user in order, a second apart", async () => {
    const channel = await addChat();
    const [signal] = await createSignals(database, ann, { symbol: "ETH/USDT" });
    await resolve(String(signal?._id));
    await resolve("deleted");
    await stage.deliverDue();
    const [first, second] = telegram.sent;
    expect(first).toMatchObject({ chatId: "77" });
    expect(first?.text).toContain("<b>WIN: WAIT ETH/USDT 1h</b>");
    expect(second?.text).toContain("<b>WIN: deleted signal</b>");
    expect((second?.atMs ?? 0) - (first?.atMs ?? 0)).toBeGreaterThanOrEqual(1_000);
    expect(await deliveriesOf(channel)).toMatchObject([
      { status: "delivered", responseStatus: 200 },
      { status: "delivered", responseStatus: 200 },
    ]);
  });

  it("waits for as long as Telegram asks for, then sends once", async () => {
    const channel = await addChat();
    telegram.answer({ status: 429, retryAfterSeconds: 40 });
    await resolve("one");
    await stage.deliverDue();
    const [delivery] = await deliveriesOf(channel);
    expect(delivery).toMatchObject({
      status: "retrying",
      responseStatus: 429,
      error: "Telegram answered with 429.",
      nextAttemptAt: new Date(stage.now().getTime() + 40_000),
    });
    stage.pass(39_999);
    await stage.deliverDue();
    expect(telegram.sent).toHaveLength(0);
    stage.pass(1);
    await stage.deliverDue();
    expect(telegram.sent).toHaveLength(1);
    expect(await deliveriesOf(channel)).toMatchObject([
      { _id: delivery?._id, status: "delivered", attempts: 2 },
    ]);
  });

  it.each([500, 400, 401])("retries after %d", async (status) => {
    const channel = await addChat();
    telegram.answer({ status });
    await resolve("one");
    await stage.deliverDue();
    expect(await deliveriesOf(channel)).toMatchObject([
      { status: "retrying", nextAttemptAt: new Date(stage.now().getTime() + 5_000) },
    ]);
  });

  it("turns a channel off if the user has blocked the bot, and notifies them", async () => {
    const channel = await addChat();
    telegram.answer({ status: 403 });
    await resolve("one");
    await resolve("two");
    await stage.deliverDue();
    expect(await database.channels.findById(channel._id).lean()).toMatchObject({
      enabled: false,
      disabledReason: "gone",
    });
    expect(telegram.sent).toHaveLength(0);
    expect(
      await database.events.findOne({ stream: userStream(ann._id), name: "channel:disabled" }),
    ).toMatchObject({ data: { kind: "telegram", reason: "gone" } });
  });

  it("gives up an attempt that gets no response, and never shows the token", async () => {
    const channel = await addChat();
    telegram.answer(null);
    stage.deps.attemptTimeoutMs = 200;
    await resolve("one");
    await stage.deliverDue();
    expect(await deliveriesOf(channel)).toMatchObject([
      { status: "retrying", error: "There was no response in time.", responseStatus: null },
    ]);
    await database.channels.deleteMany();
    stage = stageWith("http://127.0.0.1:9");
    const other = await addChat();
    await createDelivery(database, other, { status: "retrying", nextAttemptAt: stage.now() });
    await database.channels.updateOne({ _id: other._id }, { dueAt: stage.now() });
    await stage.deliverDue();
    expect((await deliveriesOf(other))[0]).toMatchObject({
      status: "retrying",
      error: "Telegram could not be reached.",
      attempts: 2,
    });
  });

  it("sends nothing while another worker is the one that sends", async () => {
    await addChat();
    isReady = false;
    await resolve("one");
    await stage.deliverDue();
    expect(telegram.calls).toEqual([]);
  });
});
