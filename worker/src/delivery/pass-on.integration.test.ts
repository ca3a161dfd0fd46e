import { HOUR_MS } from "@shared/contract/constants.ts";
import { type Database, openDatabase } from "@shared/database/database.ts";
import { type ChannelRecord, DELIVERY_CONTROL_ID } from "@shared/database/models/channel.ts";
import type { UserRecord } from "@shared/database/models/user.ts";
import { PASS_ON, passOnSchema } from "@shared/domain/passed-on.ts";
import { presentSignal } from "@shared/domain/present-signal.ts";
import { userStream } from "@shared/outbox/streams.ts";
import { createChannel, createUser } from "@shared/testing/factories.ts";
import { type FakeWebhook, startFakeWebhook } from "@shared/testing/fakes/fake-webhook.ts";
import { createSignals, WAIT_ANALYSIS } from "@shared/testing/signal-factory.ts";
import { testDatabaseUri } from "@shared/testing/test-mongo.ts";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { type DeliveryStage, deliveryStage } from "../testing/delivery-stage.ts";
import type { ChannelMessage, SendResult } from "./channel-sender.ts";
import { passOnLate, passOnLeft } from "./pass-on.ts";

const OUTCOME = { outcome: "WIN" as const, resolved_at: "2026-11-21T10:00:00.000Z" };
const REFUSED: SendResult = { outcome: "retry", responseStatus: 503, error: "HTTP 503" };
const { signal: NEVER } = new AbortController();

describe("messages that a channel does not deliver", () => {
  let database: Database;
  let stage: DeliveryStage;
  let receiver: FakeWebhook;
  let ann: UserRecord;
  let telegram: ChannelRecord;
  let emails: ChannelMessage[];
  let discord: ChannelMessage[];
  let telegramResult: SendResult;
  let emailResult: SendResult;
  const delivered: SendResult = { outcome: "delivered", responseStatus: 200, error: null };
  beforeAll(async () => {
    database = await openDatabase({ uri: testDatabaseUri() });
  });
  beforeEach(async () => {
    receiver = await startFakeWebhook();
    [emails, discord] = [[], []];
    [telegramResult, emailResult] = [REFUSED, delivered];
    stage = deliveryStage(database, {
      telegram: { send: async () => telegramResult },
      email: {
        async send(message) {
          emails.push(message);
          return emailResult;
        },
      },
      discord: {
        async send(message) {
          discord.push(message);
          return delivered;
        },
      },
    });
    await Promise.all([
      database.channels.deleteMany(),
      database.jobs.deleteMany(),
      database.deliveryControl.deleteMany(),
    ]);
    ann = await createUser(database, { passesOnSince: new Date(0) });
    telegram = await add("telegram", { events: ["signal.completed", "signal.outcome"] });
    return () => receiver.close();
  });
  afterAll(() => database.close());

  let added = 0;
  const add = (
    kind: "telegram" | "email" | "discord" | "webhook",
    change: Partial<ChannelRecord> = {},
  ) => {
    const target = {
      telegram: { kind: "telegram" as const, chatId: "7" },
      email: { kind: "email" as const },
      discord: { kind: "discord" as const, url: "https://discord.com/api/webhooks/1/t" },
      webhook: { kind: "webhook" as const, url: receiver.url, secret: "whsec_AAAA" },
    }[kind];
    added += 1;
    return createChannel(stage, ann, {
      url: "",
      kind,
      label: kind,
      events: [],
      createdAt: new Date(added),
      target: stage.channelSecrets.seal(target),
      ...change,
    });
  };
  const resolve = (signal_id: string) =>
    stage.addEvent(ann, "signal:outcome", { signal_id, ...OUTCOME });
  const completeSignal = async (confidence: number) => {
    const analysis = {
      ...WAIT_ANALYSIS,
      final_signal: "BUY" as const,
      confidence,
      entry: 100,
      stop_loss: 95,
      take_profit: 110,
      valid_until: new Date(stage.now().getTime() + HOUR_MS).toISOString(),
    };
    const [signal] = await createSignals(database, ann, { analysis, withAnalysis: false });
    if (signal) await stage.addEvent(ann, "signal:completed", presentSignal(signal));
  };
  const sweep = () => passOnLate(stage.deps, stage.now(), NEVER);
  /** Lets a minute pass, in which nothing is delivered. */
  const wait = async () => {
    await stage.deliverDue();
    stage.pass(60_000);
    await sweep();
    await stage.deliverDue();
  };
  const deliveriesTo = ({ _id }: ChannelRecord) =>
    database.deliveries.find({ channelId: _id }).sort({ order: 1 }).lean();

  it("go to the next channel after a minute, once, with those that wait behind", async () => {
    const email = await add("email");
    await resolve("first");
    await resolve("second");
    await stage.deliverDue();
    stage.pass(59_999);
    await sweep();
    expect(await deliveriesTo(email)).toEqual([]);
    stage.pass(1);
    await Promise.all([sweep(), sweep()]);
    await sweep();
    await stage.deliverDue();
    expect(emails.map(({ type, data }) => [type, data])).toEqual([
      ["signal.outcome", { signal_id: "first", ...OUTCOME }],
      ["signal.outcome", { signal_id: "second", ...OUTCOME }],
    ]);
    expect(await deliveriesTo(email)).toMatchObject([
      { status: "delivered", passedOn: { fromChannelId: telegram._id } },
      { status: "delivered" },
    ]);
    telegramResult = delivered;
    stage.pass(HOUR_MS);
    await stage.deliverDue();
    expect(await deliveriesTo(telegram)).toMatchObject([
      { status: "delivered" },
      { status: "delivered" },
    ]);
    expect(emails).toHaveLength(2);
  });

  it("stay where they are unless the user has chosen it, and those of the time before", async () => {
    await add("email");
    await database.users.updateOne({ _id: ann._id }, { $unset: { passesOnSince: 1 } });
    await resolve("first");
    await wait();
    expect(emails).toEqual([]);
    await database.users.updateOne({ _id: ann._id }, { $set: { passesOnSince: stage.now() } });
    await wait();
    expect(emails).toEqual([]);
    await resolve("second");
    await wait();
    expect(emails).toMatchObject([{ data: { signal_id: "second" } }]);
  });

  it("skip channels that are off, fail, are for programs or were added later", async () => {
    await add("webhook");
    await add("email", { enabled: false });
    await add("email", { isFailing: true, dueAt: new Date("2100-01-01") });
    await add("email", { createdAt: new Date(stage.now().getTime() + 1) });
    await add("discord");
    await resolve("first");
    await wait();
    expect([emails.length, discord.length, receiver.received.length]).toEqual([0, 1, 0]);
  });

  it("go nowhere else if another channel that works gets them anyway", async () => {
    await add("email");
    await add("discord", { events: ["signal.outcome"] });
    await resolve("first");
    await wait();
    expect([emails.length, discord.length]).toEqual([0, 1]);
  });

  it("respect the minimum confidence of the next channel", async () => {
    await add("email", { minConfidence: 80 });
    await add("discord", { minConfidence: 60 });
    await completeSignal(70);
    await completeSignal(85);
    await wait();
    expect([emails.length, discord.length]).toEqual([1, 1]);
  });

  it("wait until the quiet hours end", async () => {
    stage.setTime(new Date("2026-11-21T22:30:00.000Z"));
    const quietHours = { start: "23:00", end: "07:00", timeZone: "Europe/Berlin" };
    await database.users.updateOne({ _id: ann._id }, { $set: { quietHours } });
    await database.channels.updateOne({ _id: telegram._id }, { $set: { enabled: false } });
    const hook = await add("webhook", { events: ["signal.outcome"] });
    await add("email");
    receiver.answer({ status: 500 }, { status: 500 }, { status: 500 });
    await resolve("night");
    await wait();
    expect(await deliveriesTo(hook)).toMatchObject([{ status: "retrying" }]);
    expect(emails).toEqual([]);
    stage.setTime(new Date("2026-11-22T06:00:00.000Z"));
    await stage.deliverDue();
    expect(emails).toMatchObject([{ type: "signal.outcome" }]);
  });

  it("are not passed on again by the next channel, nor while deliveries are paused", async () => {
    await add("email");
    const last = await add("discord");
    emailResult = REFUSED;
    await resolve("first");
    await stage.deliverDue();
    const paused = { _id: DELIVERY_CONTROL_ID, paused: true } as const;
    await database.deliveryControl.create([paused]);
    await wait();
    expect(emails).toEqual([]);
    await database.deliveryControl.deleteMany();
    await wait();
    await wait();
    await wait();
    expect(emails.length).toBeGreaterThan(1);
    expect(await deliveriesTo(last)).toEqual([]);
  });

  it("go on at once when the receiver turns its channel off", async () => {
    await add("email");
    telegramResult = { outcome: "gone", responseStatus: 403, error: "HTTP 403" };
    await resolve("first");
    await resolve("second");
    await stage.deliverDue();
    const [item] = await database.jobs.find({ name: PASS_ON }).lean();
    stage.pass(1);
    await resolve("later");
    const data = passOnSchema.parse(item?.data);
    await passOnLeft(stage.deps, data);
    await passOnLeft(stage.deps, data);
    // By the clock of the database.
    stage.pass(HOUR_MS);
    await stage.deliverDue();
    expect(emails.map((message) => message.data)).toMatchObject([
      { signal_id: "first" },
      { signal_id: "second" },
    ]);
  });

  it("are a problem of their channel, reported once for each message", async () => {
    await resolve("first");
    await stage.deliverDue();
    const problemOf = async () => (await database.channels.findById(telegram._id).lean())?.problem;
    expect(await problemOf()).toBeUndefined();
    stage.pass(5_000);
    await stage.deliverDue();
    const at = stage.now();
    expect(await problemOf()).toEqual({ reason: "not-delivered", at });
    stage.pass(60_000);
    await stage.deliverDue();
    expect(await problemOf()).toEqual({ reason: "not-delivered", at });
    const stream = userStream(ann._id);
    const events = await database.events.find({ stream, name: "channel:failing" }).lean();
    expect(events.map(({ data }) => data)).toEqual([
      { channel_id: String(telegram._id), kind: "telegram" },
    ]);
  });
});
