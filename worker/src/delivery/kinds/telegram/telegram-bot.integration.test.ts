import { createHash } from "node:crypto";
import type { ChannelKind } from "@shared/contract/channel-kinds/channel-kinds.ts";
import { type Database, openDatabase } from "@shared/database/database.ts";
import type { ChannelRecord } from "@shared/database/models/channel.ts";
import type { UserRecord } from "@shared/database/models/user.ts";
import { createLogger } from "@shared/runtime/logger.ts";
import { createChannel, createDelivery, createUser } from "@shared/testing/factories.ts";
import { type FakeTelegram, startFakeTelegram } from "@shared/testing/fakes/fake-telegram.ts";
import { testDatabaseUri } from "@shared/testing/test-mongo.ts";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from "vitest";
import { type DeliveryStage, deliveryStage } from "../../../testing/delivery-stage.ts";
import { startBot } from "./telegram-bot.ts";

const TOKEN = "123:telegram-secret";
const WITHIN = { timeout: 30_000, interval: 20 };

describe("the Telegram bot", () => {
  let database: Database;
  let telegram: FakeTelegram;
  let stage: DeliveryStage;
  let ann: UserRecord;
  let log: string;
  let chat = 100;
  const workers: ReturnType<typeof startBot>[] = [];
  beforeAll(async () => {
    database = await openDatabase({ uri: testDatabaseUri() });
  });
  beforeEach(async () => {
    telegram = await startFakeTelegram(TOKEN);
    stage = deliveryStage(database);
    ann = await createUser(database, { lastEventSeq: 7 });
    [log, chat] = ["", chat + 1];
    await database.telegramUpdates.deleteMany();
  });
  afterEach(async () => {
    await Promise.all(workers.splice(0).map((worker) => worker.stop()));
    await telegram.close();
  });
  afterAll(() => database.close());

  const start = (workerId = "worker-1", url = telegram.url) => {
    const destination = {
      write(line: string) {
        log += line;
      },
    };
    const worker = startBot(
      {
        database,
        workerId,
        secrets: stage.channelSecrets,
        readTime: async () => stage.now(),
        logger: createLogger({ service: "test", level: "trace", destination }),
        settings: { TELEGRAM_API_URL: url, CLIENT_ORIGIN: ["https://app.example.com"] },
      },
      TOKEN,
    );
    workers.push(worker);
    return worker;
  };
  /** A channel that waits for its code, as a server adds it. */
  const addLink = (code: string, user = ann, overrides: Partial<ChannelRecord> = {}) => {
    const kind: ChannelKind = "telegram";
    const codeHash = createHash("sha256").update(code).digest("hex");
    const expiresAt = new Date(stage.now().getTime() + 600_000);
    return createChannel(stage, user, {
      url: "",
      kind,
      target: null,
      enabled: false,
      link: { codeHash, expiresAt },
      afterSeq: 0,
      uniqueKey: "telegram",
      ...overrides,
    });
  };
  const stored = ({ _id }: ChannelRecord) => database.channels.findById(_id).lean();
  /** Writes to the bot, and waits for its answer. */
  const ask = async (text: string, from = chat) => {
    const before = telegram.sent.length;
    telegram.write(from, text);
    await vi.waitFor(() => expect(telegram.sent.length).toBeGreaterThan(before), WITHIN);
    return telegram.sent.at(-1)?.text ?? "";
  };

  it("links a chat once, by a code that is in time; its channel gets events from then on", async () => {
    start();
    const channel = await addLink("code-1");
    expect(await ask("/start code-1")).toContain(`Messages for ${ann.username} arrive here`);
    const linked = await stored(channel);
    expect(linked).toMatchObject({ enabled: true, afterSeq: 7, disabledReason: null });
    expect(linked?.link).toBeUndefined();
    expect(stage.channelSecrets.open(linked?.target ?? "")).toEqual({
      kind: "telegram",
      chatId: String(chat),
    });
    expect(await ask("/start code-1")).toContain("used already. This chat is connected");
    expect(await ask("/start code-1", chat + 1_000)).toContain("wrong or was used already. Open");
    const late = await addLink("code-2", await createUser(database));
    stage.pass(600_000);
    expect(await ask("/start code-2", chat + 2_000)).toContain("has expired");
    expect(await stored(late)).toMatchObject({ enabled: false, target: null });
    expect(await stored(channel)).toEqual(linked);
  });

  it("moves a chat that another user links, and notifies the user who had it", async () => {
    start();
    const first = await addLink("code-3");
    const second = await addLink("code-4", await createUser(database));
    await ask("/start code-3");
    await ask("/start code-4");
    expect(await stored(first)).toMatchObject({
      enabled: false,
      target: null,
      disabledReason: "unsubscribed",
    });
    expect(await stored(second)).toMatchObject({ enabled: true });
    const published = { name: "channel:disabled", "data.channel_id": String(first._id) };
    expect(await database.events.countDocuments(published)).toBe(1);
  });

  it("says what a chat gets, and turns it off", async () => {
    start();
    expect(await ask("/status")).toContain("This chat is not connected.");
    expect(await ask("hello <b>")).toContain("/status shows what this chat gets");
    const events = ["signal.completed", "signal.outcome"] as const;
    const channel = await addLink("code-5", ann, { minConfidence: 60, events: [...events] });
    await ask("/start code-5");
    expect((await ask("/status@signals_bot")).split("\n")).toEqual([
      "<b>Messages are on.</b>",
      "You get: New signals, Results",
      "Minimum confidence of new signals: 60%",
      "No messages yet.",
    ]);
    const createdAt = new Date("2026-11-21T10:00:00Z");
    await createDelivery(database, channel, { createdAt });
    expect(await ask("/stop")).toContain("Messages are off.");
    expect(await stored(channel)).toMatchObject({ enabled: false, disabledReason: "unsubscribed" });
    const off = await ask("/status");
    expect(off).toContain("<b>Messages are off.</b>");
    expect(off).toContain("Last message: 21 November 2026 at 10:00 UTC, delivered");
  });

  it("has one reader of two workers; a message that is given again has no second effect", async () => {
    const first = start("a");
    const second = start("b");
    const channel = await addLink("code-6");
    await ask("/start code-6");
    await vi.waitFor(() => expect(first.isReady?.() || second.isReady?.()).toBe(true), WITHIN);
    expect([first, second].filter(({ isReady }) => isReady?.())).toHaveLength(1);
    await database.channels.updateOne({ _id: channel._id }, { enabled: false });
    const reader = first.isReady?.() ? first : second;
    workers.splice(workers.indexOf(reader), 1);
    await reader.stop();
    telegram.repeatUpdates();
    expect(await ask("/help")).toContain("/status");
    expect(telegram.sent).toHaveLength(2);
    expect(await stored(channel)).toMatchObject({ enabled: false });
    expect(telegram.calls.filter(({ status }) => status === 409)).toEqual([]);
  });

  it("goes on when the worker that read was killed, after a pause of a second before it sends", async () => {
    const expiresAt = new Date(Date.now() + 700);
    await database.leases.updateOne(
      { _id: "telegram" },
      { $set: { owner: "killed", expiresAt } },
      { upsert: true },
    );
    const sender = start();
    telegram.write(chat, "/status");
    await vi.waitFor(() => expect(telegram.sent).toHaveLength(1), WITHIN);
    expect(Date.now()).toBeGreaterThanOrEqual(expiresAt.getTime());
    await vi.waitFor(() => expect(sender.isReady?.()).toBe(true), WITHIN);
  });

  it("logs no token, whatever fails", async () => {
    start("unreachable", "http://127.0.0.1:9");
    await vi.waitFor(() => expect(log).toContain("Telegram could not be reached."), WITHIN);
    await workers.pop()?.stop();
    start("refused");
    telegram.answer({ status: 403 });
    telegram.write(chat, "/help");
    await vi.waitFor(() => expect(log).toContain("Telegram answered with 403."), WITHIN);
    expect(log).not.toContain("telegram-secret");
  });
});
