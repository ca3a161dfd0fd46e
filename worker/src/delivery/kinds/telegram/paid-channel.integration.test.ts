import { type Database, openDatabase } from "@shared/database/database.ts";
import { TELEGRAM_CHANNEL_ID } from "@shared/database/models/telegram-channel.ts";
import type { UserRecord } from "@shared/database/models/user.ts";
import { postTrade, updatePost } from "@shared/domain/telegram-channel.ts";
import { commit } from "@shared/outbox/commit.ts";
import { createLogger } from "@shared/runtime/logger.ts";
import { createChannel, createUser } from "@shared/testing/factories.ts";
import { type FakeTelegram, startFakeTelegram } from "@shared/testing/fakes/fake-telegram.ts";
import { analysisOf, newSignal, tradeAnalysis } from "@shared/testing/signal-factory.ts";
import { testDatabaseUri } from "@shared/testing/test-mongo.ts";
import fc from "fast-check";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from "vitest";
import { type DeliveryStage, deliveryStage } from "../../../testing/delivery-stage.ts";
import { startBot } from "./telegram-bot.ts";

const TOKEN = "123:telegram-secret";
const WITHIN = { timeout: 45_000, interval: 50 };
const MARKET = { symbol: "BTC/USDT", timeframe: "1h" as const };

describe("the paid Telegram channel", () => {
  let database: Database;
  let telegram: FakeTelegram;
  let stage: DeliveryStage;
  let nextId = 5_000;
  let bots: ReturnType<typeof startBot>[] = [];
  beforeAll(async () => {
    database = await openDatabase({ uri: testDatabaseUri() });
    stage = deliveryStage(database);
  });
  beforeEach(async () => {
    telegram = await startFakeTelegram(TOKEN);
    await database.telegramUpdates.deleteMany();
    const settings = { enabled: true, chatId: "-1001", markets: [MARKET], minConfidence: 50 };
    await database.telegramChannel.updateOne(
      { _id: TELEGRAM_CHANNEL_ID },
      { $set: { ...settings, updatedAt: new Date() } },
      { upsert: true },
    );
  });
  afterEach(async () => {
    await Promise.all(bots.map((bot) => bot.stop()));
    bots = [];
    await telegram.close();
    await Promise.all([
      database.jobs.deleteMany(),
      database.telegramMembers.deleteMany(),
      database.telegramPosts.deleteMany(),
      database.channels.deleteMany(),
    ]);
  });
  afterAll(() => database.close());

  const start = (workerId = "worker-1") => {
    const bot = startBot(
      {
        database,
        workerId,
        secrets: stage.channelSecrets,
        readTime: async () => database.now(),
        logger: createLogger({ service: "test", level: "silent" }),
        settings: {
          TELEGRAM_API_URL: telegram.url,
          CLIENT_ORIGIN: ["https://app.example.com"],
        },
      },
      TOKEN,
    );
    bots.push(bot);
    return bot;
  };
  const person = async (change: Partial<UserRecord> = {}, isLinked = true) => {
    const user = await createUser(database, { approved: true, ...change });
    nextId += 1;
    const id = nextId;
    const chatId = String(id);
    if (isLinked) {
      await createChannel(stage, user, {
        url: "",
        kind: "telegram",
        target: stage.channelSecrets.seal({ kind: "telegram", chatId }),
        chatHash: stage.channelSecrets.hashChat(chatId),
      });
    }
    return { user, id };
  };
  const sweepSoon = () =>
    database.jobs.updateMany(
      { name: "telegram-members", lockedAt: null },
      { $set: { nextRunAt: database.now() } },
    );
  const eventually = (check: () => void | Promise<void>) =>
    vi.waitFor(async () => {
      await sweepSoon();
      await check();
    }, WITHIN);
  const members = () => [...telegram.channel.members].sort();
  const storeTrade = async (change: object = {}) => {
    const user = await createUser(database);
    const analysis = {
      ...analysisOf({ ...newSignal(user), ...MARKET }),
      status: "completed" as const,
      finishedAt: database.now(),
      result: {
        analysis: tradeAnalysis(database.now(), {
          final_signal: "BUY",
          confidence: 72,
          entry: 107_357.1,
          stop_loss: 106_000,
          take_profit: 110_000,
          valid_until: new Date(database.now().getTime() + 3_600_000).toISOString(),
          ...change,
        }),
        quoteToUsd: null,
        candlesSha256: null,
      },
    };
    await database.marketAnalyses.create([analysis]);
    await commit(database, { lockKeys: "test", now: database.now }, (uow) =>
      postTrade(database, uow, analysis),
    );
    return analysis;
  };

  it("admits linked users with access, and no other person who uses the same link", async () => {
    start();
    const ann = await person();
    const unapproved = await person({ approved: false });
    const unlinked = await person({}, false);
    for (const { id } of [ann, unapproved, unlinked]) telegram.channel.askToJoin(id);
    await eventually(() => {
      expect(members()).toEqual([ann.id]);
      expect(telegram.channel.declined.toSorted()).toEqual([unapproved.id, unlinked.id].toSorted());
    });
    expect(JSON.stringify(await database.telegramMembers.find().lean())).not.toContain(
      String(ann.id),
    );
  });

  it("removes who loses access or their link, lets them come back, and leaves administrators alone", async () => {
    start();
    const [ann, bob] = [await person(), await person()];
    for (const { id } of [ann, bob]) telegram.channel.askToJoin(id);
    await eventually(() => expect(members()).toEqual([ann.id, bob.id].sort()));
    await database.users.updateOne({ _id: ann.user._id }, { approved: false });
    await database.channels.deleteOne({ userId: bob.user._id });
    await eventually(() => {
      expect(members()).toEqual([]);
      expect(telegram.channel.banned.size).toBe(0);
    });
    await vi.waitFor(
      async () => expect(await database.telegramMembers.countDocuments()).toBe(0),
      WITHIN,
    );
    await database.users.updateOne({ _id: ann.user._id }, { approved: true });
    telegram.channel.askToJoin(ann.id);
    await eventually(() => expect(members()).toEqual([ann.id]));
    expect([...telegram.channel.admins]).toEqual([900]);
  });

  it("removes who was added past the bot without access, and notes who was added with it", async () => {
    start();
    const ann = await person();
    telegram.channel.add(ann.id);
    telegram.channel.add(77);
    await eventually(() => expect(members()).toEqual([ann.id]));
    telegram.channel.leave(ann.id);
    await vi.waitFor(
      async () => expect(await database.telegramMembers.countDocuments()).toBe(0),
      WITHIN,
    );
  });

  it("finishes a removal during which a worker died", async () => {
    const ann = await person({ approved: false });
    telegram.channel.members.add(ann.id);
    telegram.channel.banned.add(ann.id);
    const chatId = String(ann.id);
    await database.telegramMembers.create({
      _id: stage.channelSecrets.hashChat(chatId),
      chatId: "-1001",
      target: stage.channelSecrets.seal({ kind: "telegram", chatId }),
      since: new Date(),
      isRemoving: true,
    });
    start();
    await eventually(() => {
      expect(members()).toEqual([]);
      expect(telegram.channel.banned.size).toBe(0);
    });
  });

  it("posts a trade once, shows its fill and its end there, and skips what is below the confidence", async () => {
    start();
    const trade = await storeTrade();
    await storeTrade({ confidence: 49 });
    await vi.waitFor(() => expect(telegram.channel.posts).toHaveLength(1), WITHIN);
    const lines = telegram.channel.posts[0]?.text.split("\n");
    expect(lines).toEqual([
      "<b>BUY BTC/USDT 1h, 72% stated confidence</b>",
      "Entry: <code>107357.1</code>",
      "Stop loss: <code>106000</code>",
      "Take profit: <code>110000</code>",
      expect.stringMatching(/^Enter before: /),
      '<a href="https://app.example.com/bot?symbol=BTC%2FUSDT">Open in the app</a>',
    ]);
    const set = (change: object) =>
      database.marketAnalyses.updateOne({ _id: trade._id }, { $set: change });
    await vi.waitFor(
      async () => expect(await database.telegramPosts.countDocuments()).toBe(1),
      WITHIN,
    );
    await set({ filled: { price: 107_300, at: database.now() } });
    await updatePost(database, trade._id, "filled");
    await vi.waitFor(
      () => expect(telegram.channel.posts[0]?.text).toContain("Filled: 107300"),
      WITHIN,
    );
    await set({ outcome: "WIN" });
    await updatePost(database, trade._id, "ended");
    await vi.waitFor(() => expect(telegram.channel.posts[0]?.text).toMatch(/^<b>WIN: BUY/), WITHIN);
    await vi.waitFor(
      async () =>
        expect(await database.telegramPosts.findOne().lean()).toMatchObject({ shown: "ended" }),
      WITHIN,
    );
    expect(telegram.channel.posts).toHaveLength(1);
  });

  it("replies to a post that is too old to be edited", async () => {
    start();
    const trade = await storeTrade();
    await vi.waitFor(
      async () => expect(await database.telegramPosts.countDocuments()).toBe(1),
      WITHIN,
    );
    telegram.channel.isOld = true;
    await database.marketAnalyses.updateOne({ _id: trade._id }, { $set: { outcome: "LOSS" } });
    await updatePost(database, trade._id, "ended");
    await vi.waitFor(() => expect(telegram.channel.posts[1]).toMatchObject({ replyTo: 1 }), WITHIN);
    expect(telegram.channel.posts[1]?.text).toContain("LOSS");
  });

  it("obeys retry_after, and posts nothing twice", async () => {
    let refusals = 0;
    telegram.refuse = (method) => {
      if (method !== "sendMessage" || refusals > 0) return null;
      refusals += 1;
      return { status: 429, retryAfterSeconds: 2 };
    };
    start();
    const startedAt = performance.now();
    await storeTrade();
    await vi.waitFor(() => expect(telegram.channel.posts).toHaveLength(1), WITHIN);
    expect((telegram.channel.posts[0]?.atMs ?? 0) - startedAt).toBeGreaterThanOrEqual(2_000);
    const sent = telegram.calls.filter(({ method }) => method === "sendMessage");
    expect(sent.map(({ status }) => status)).toEqual([429, 200]);
  });

  it("has exactly the entitled as members after random joins, ends, 429s and changes of the worker", async () => {
    start("worker-1");
    start("worker-2");
    const people = await Promise.all(Array.from({ length: 12 }, () => person({ approved: false })));
    const random = fc.sample(fc.tuple(fc.nat(11), fc.boolean(), fc.nat(5)), {
      numRuns: 60,
      seed: 7,
    });
    let step = 0;
    telegram.refuse = () => {
      step += 1;
      return step % 7 === 0 && step < 300 ? { status: 429, retryAfterSeconds: 0 } : null;
    };
    for (const [index, approved, event] of random) {
      const one = people[index] ?? expect.fail("no such person");
      await database.users.updateOne({ _id: one.user._id }, { approved });
      telegram.channel.askToJoin(one.id);
      if (event === 0) telegram.channel.leave(one.id);
      if (event === 1) telegram.repeatUpdates();
    }
    await bots[0]?.stop();
    bots = bots.slice(1);
    const entitled = async () => {
      const approved = await database.users
        .find({ _id: { $in: people.map(({ user }) => user._id) }, approved: true })
        .lean();
      const names = new Set(approved.map(({ username }) => username));
      return people
        .filter(({ user }) => names.has(user.username))
        .map(({ id }) => id)
        .sort();
    };
    const expected = await entitled();
    await eventually(async () => {
      for (const id of expected) telegram.channel.askToJoin(id);
      expect(members()).toEqual(expected);
      expect(telegram.channel.banned.size).toBe(0);
    });
  });
});
