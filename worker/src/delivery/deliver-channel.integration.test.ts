import { HOUR_MS } from "@shared/contract/constants.ts";
import type { SignalResponse } from "@shared/contract/signal.ts";
import { type Database, nativeCollection, openDatabase } from "@shared/database/database.ts";
import type { ChannelRecord } from "@shared/database/models/channel.ts";
import type { UserRecord } from "@shared/database/models/user.ts";
import { presentSignal } from "@shared/domain/present-signal.ts";
import { ADMINS_STREAM, userStream } from "@shared/outbox/streams.ts";
import {
  createChannel,
  createDelivery,
  createUser,
  TEST_WEBHOOK_SECRET,
} from "@shared/testing/factories.ts";
import { type FakeWebhook, startFakeWebhook } from "@shared/testing/fakes/fake-webhook.ts";
import { createSignals, WAIT_ANALYSIS } from "@shared/testing/signal-factory.ts";
import { testDatabaseUri } from "@shared/testing/test-mongo.ts";
import { Types } from "mongoose";
import { Webhook } from "standardwebhooks";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { z } from "zod";
import { type DeliveryStage, deliveryStage } from "../testing/delivery-stage.ts";
import { LEASE_MS } from "./channel-leases.ts";
import type { ChannelMessage, ChannelSender, SendResult } from "./channel-sender.ts";
import { deliverChannel, RETRY_DELAYS_MS } from "./deliver-channel.ts";
import { planDelivery } from "./plan-delivery.ts";

const signalRefSchema = z.object({ signal_id: z.string() });
const OUTCOME = { outcome: "WIN" as const, resolved_at: "2026-11-21T10:00:00.000Z" };

describe("delivery to a channel", () => {
  let database: Database;
  let receiver: FakeWebhook;
  let stage: DeliveryStage;
  let ann: UserRecord;
  let messages: ChannelMessage[];
  /** Results of the sender of emails; delivered by default. */
  let results: SendResult[];
  const emailSender: ChannelSender = {
    async send(message) {
      messages.push(message);
      return results.shift() ?? { outcome: "delivered", responseStatus: 250, error: null };
    },
  };
  beforeAll(async () => {
    database = await openDatabase({ uri: testDatabaseUri() });
  });
  beforeEach(async () => {
    receiver = await startFakeWebhook();
    stage = deliveryStage(database, { email: emailSender });
    [messages, results] = [[], []];
    await database.channels.deleteMany();
    ann = await createUser(database);
    return () => receiver.close();
  });
  afterAll(() => database.close());

  const addHook = (overrides: Partial<ChannelRecord> = {}, user = ann) =>
    createChannel(stage, user, { url: `${receiver.url}/hook`, ...overrides });
  const addEmail = (overrides: Partial<ChannelRecord> = {}) =>
    addHook({ kind: "email", target: stage.channelSecrets.seal({ kind: "email" }), ...overrides });
  const resolve = (signal_id: string, user = ann) =>
    stage.addEvent(user, "signal:outcome", { signal_id, ...OUTCOME });
  const deliveriesOf = ({ _id }: ChannelRecord) =>
    database.deliveries.find({ channelId: _id }).sort({ order: 1 }).lean();
  const stored = ({ _id }: ChannelRecord) => database.channels.findById(_id).lean();
  const receivedIds = () =>
    receiver.received.map(({ data }) => signalRefSchema.parse(data).signal_id);

  /** A completed BUY that may be entered for an hour. */
  const completeSignal = async (overrides: Partial<SignalResponse["analysis"]> = {}) => {
    const analysis = {
      ...WAIT_ANALYSIS,
      final_signal: "BUY" as const,
      confidence: 70,
      entry: 100,
      stop_loss: 95,
      take_profit: 110,
      valid_until: new Date(stage.now().getTime() + HOUR_MS).toISOString(),
      ...overrides,
    };
    const [signal] = await createSignals(database, ann, { analysis, withAnalysis: false });
    if (!signal) throw new Error("No signal was made.");
    const data = presentSignal(signal);
    await stage.addEvent(ann, "signal:completed", data);
    return { signal, data };
  };

  it("sends events as they are pushed, in order, with a signature that verifies", async () => {
    const channel = await addHook();
    const { data } = await completeSignal();
    await resolve("second");
    await stage.deliverDue();
    expect(receiver.received.map(({ type }) => type)).toEqual([
      "signal.completed",
      "signal.outcome",
    ]);
    const [first] = receiver.received;
    expect(first).toMatchObject({ timestamp: stage.now().toISOString(), data });
    const verified = new Webhook(TEST_WEBHOOK_SECRET).verify(
      first?.body ?? "",
      first?.headers ?? {},
    );
    expect(verified).toMatchObject({ type: "signal.completed" });
    const [delivery, second] = await deliveriesOf(channel);
    expect(delivery).toMatchObject({ status: "delivered", attempts: 1, responseStatus: 200 });
    expect(String(delivery?._id)).toBe(first?.id);
    expect(second?._id).not.toEqual(delivery?._id);
    expect(await stored(channel)).toMatchObject({ afterSeq: 2, dueAt: null, leaseId: null });
  });

  it("signs with both secrets for a day after a rotation", async () => {
    const secret = `whsec_${Buffer.alloc(32, 9).toString("base64")}`;
    const previous = { secret: TEST_WEBHOOK_SECRET, until: stage.now().getTime() + 1_000 };
    const url = receiver.url;
    const target = stage.channelSecrets.seal({ kind: "webhook", url, secret, previous });
    await addHook({ target });
    await resolve("one");
    await stage.deliverDue();
    stage.pass(1_000);
    await resolve("two");
    await stage.deliverDue();
    const signatures = receiver.received.map(({ headers }) =>
      headers["webhook-signature"]?.split(" "),
    );
    expect(signatures.map((list) => list?.length)).toEqual([2, 1]);
    const [first] = receiver.received;
    for (const each of [secret, TEST_WEBHOOK_SECRET]) {
      expect(() => new Webhook(each).verify(first?.body ?? "", first?.headers ?? {})).not.toThrow();
    }
  });

  it("leaves out what the channel does not want", async () => {
    await addHook({ events: ["signal.completed"], minConfidence: 71 });
    await completeSignal();
    await resolve("unwanted");
    const { data } = await completeSignal({ confidence: 71 });
    await stage.deliverDue();
    expect(receivedIds()).toEqual([data.signal_id]);
  });

  it("retries with the same id while later events wait, then fails and continues", async () => {
    const channel = await addHook();
    await resolve("first");
    await resolve("second");
    receiver.answer(...Array.from({ length: 7 }, () => ({ status: 500 })));
    await stage.deliverDue();
    for (const delayMs of RETRY_DELAYS_MS) {
      const [delivery] = await deliveriesOf(channel);
      expect(delivery).toMatchObject({ status: "retrying", responseStatus: 500 });
      stage.pass(delayMs - 1);
      const count = receiver.received.length;
      await stage.deliverDue();
      expect(receiver.received).toHaveLength(count);
      stage.pass(1);
      await stage.deliverDue();
    }
    expect(receivedIds()).toEqual([...Array.from({ length: 7 }, () => "first"), "second"]);
    expect(new Set(receiver.received.map(({ id }) => id)).size).toBe(2);
    const [failed, delivered] = await deliveriesOf(channel);
    expect(failed).toMatchObject({ status: "failed", attempts: 7, nextAttemptAt: null });
    expect(delivered).toMatchObject({ status: "delivered", attempts: 1 });
  });

  it.each([
    ["longer than the delay, in seconds", "90", 90_000],
    ["shorter than the delay", "1", 5_000],
    ["longer than a day", "999999", 86_400_000],
    ["nonsense", "soon", 5_000],
  ])("obeys a Retry-After that is %s", async (_, header, waitMs) => {
    const channel = await addHook();
    receiver.answer({ status: 429, headers: { "Retry-After": header } });
    await resolve("one");
    await stage.deliverDue();
    const due = new Date(stage.now().getTime() + waitMs);
    expect((await deliveriesOf(channel))[0]?.nextAttemptAt).toEqual(due);
    expect((await stored(channel))?.dueAt).toEqual(due);
  });

  it("adds jitter to the delay, and never shortens it", async () => {
    const channel = await addHook();
    receiver.answer({ status: 503 });
    await resolve("one");
    stage.deps.random = () => 0.5;
    await stage.deliverDue();
    const due = new Date(stage.now().getTime() + 5_250);
    expect((await deliveriesOf(channel))[0]?.nextAttemptAt).toEqual(due);
  });

  it("turns a channel off that is gone, with an event, and sends nothing of that time later", async () => {
    const channel = await addHook();
    receiver.answer({ status: 410 });
    await resolve("one");
    await resolve("two");
    await stage.deliverDue();
    expect(await stored(channel)).toMatchObject({ enabled: false, disabledReason: "gone" });
    expect(await deliveriesOf(channel)).toMatchObject([{ status: "failed", responseStatus: 410 }]);
    const events = await database.events
      .find({ stream: userStream(ann._id), name: "channel:disabled" })
      .lean();
    expect(events.map(({ data }) => data)).toEqual([
      { channel_id: String(channel._id), kind: "webhook", reason: "gone" },
    ]);
    stage.pass(HOUR_MS);
    await stage.deliverDue();
    expect(receiver.received).toHaveLength(1);
  });

  it("does not follow redirects", async () => {
    const channel = await addHook();
    receiver.answer({ status: 302, headers: { Location: `${receiver.url}/elsewhere` } });
    await resolve("one");
    await stage.deliverDue();
    expect(receiver.received).toHaveLength(1);
    expect(await deliveriesOf(channel)).toMatchObject([
      { status: "retrying", responseStatus: 302 },
    ]);
  });

  it.each([
    ["its time is over", { valid: -1, set: {} }],
    ["its entry was missed", { valid: 1, set: { entryLeft: { price: 1, at: new Date() } } }],
    ["its trade is closed", { valid: 1, set: { outcome: "LOSS" as const } }],
  ])("suppresses a signal if %s, unless its user asks for it", async (_, { valid, set }) => {
    const channel = await addHook();
    const { signal } = await completeSignal({
      valid_until: new Date(stage.now().getTime() + valid).toISOString(),
    });
    await database.signals.updateOne({ _id: signal._id }, { $set: set });
    await resolve("later");
    await stage.deliverDue();
    expect(receivedIds()).toEqual(["later"]);
    const [late] = await deliveriesOf(channel);
    expect(late).toMatchObject({ status: "suppressed", attempts: 0 });
    const again = { status: "retrying", isRequested: true, nextAttemptAt: stage.now() };
    await database.deliveries.updateOne({ _id: late?._id }, { $set: again });
    await database.channels.updateOne({ _id: channel._id }, { $set: { dueAt: stage.now() } });
    await stage.deliverDue();
    expect(receiver.received.at(-1)?.id).toBe(String(late?._id));
  });

  it("suppresses a signal that becomes late while it is retried", async () => {
    const channel = await addHook();
    await completeSignal({ valid_until: new Date(stage.now().getTime() + 5_000).toISOString() });
    receiver.answer({ status: 500 });
    await stage.deliverDue();
    stage.pass(5_000);
    await stage.deliverDue();
    expect(receiver.received).toHaveLength(1);
    expect(await deliveriesOf(channel)).toMatchObject([{ status: "suppressed", attempts: 1 }]);
  });

  describe("in quiet hours", () => {
    const NIGHT = new Date("2026-11-21T22:30:00.000Z");
    const MORNING = new Date("2026-11-22T06:00:00.000Z");
    beforeEach(async () => {
      stage.setTime(NIGHT);
      const quietHours = { start: "23:00", end: "07:00", timeZone: "Europe/Berlin" };
      await database.users.updateOne({ _id: ann._id }, { $set: { quietHours } });
    });

    it("holds messages, and then sends one summary", async () => {
      const channel = await addEmail();
      const { data } = await completeSignal({ valid_until: MORNING.toISOString() });
      const useful = await completeSignal({
        valid_until: new Date(MORNING.getTime() + 1).toISOString(),
      });
      await resolve("night");
      await stage.deliverDue();
      expect(messages).toEqual([]);
      expect((await stored(channel))?.dueAt).toEqual(MORNING);
      stage.setTime(MORNING);
      await stage.deliverDue();
      expect(messages).toMatchObject([
        {
          type: "channel.summary",
          user: { username: ann.username, email: ann.email },
          data: {
            from: NIGHT.toISOString(),
            to: NIGHT.toISOString(),
            counts: { "signal.completed": 2, "signal.outcome": 1 },
            messages: [{ data: useful.data }, { type: "signal.outcome" }],
          },
        },
      ]);
      expect(JSON.stringify(messages)).not.toContain(data.signal_id);
      await resolve("day");
      await resolve("day, too");
      await stage.deliverDue();
      expect(messages.map(({ type }) => type)).toEqual([
        "channel.summary",
        "signal.outcome",
        "signal.outcome",
      ]);
    });

    it("sends a single held message as it is", async () => {
      await addEmail();
      await resolve("night");
      await stage.deliverDue();
      stage.setTime(MORNING);
      await stage.deliverDue();
      expect(messages.map(({ type }) => type)).toEqual(["signal.outcome"]);
    });

    it("sends test messages and webhooks", async () => {
      const channel = await addEmail({ dueAt: stage.now() });
      await createDelivery(database, channel, { status: "retrying", nextAttemptAt: stage.now() });
      await addHook();
      await resolve("night");
      await stage.deliverDue();
      expect(messages.map(({ type }) => type)).toEqual(["channel.test"]);
      expect(receivedIds()).toEqual(["night"]);
    });
  });

  it("sends no second email of a reminder", async () => {
    await addEmail({ events: ["subscription.expiring", "signal.outcome"] });
    await addHook({ events: ["subscription.expiring"] });
    const data = { plan: "pro" as const, ends_at: "2026-12-01T00:00:00.000Z", days_left: 7 };
    await stage.addEvent(ann, "subscription:expiring", data);
    await resolve("one");
    await stage.deliverDue();
    expect(messages.map(({ type }) => type)).toEqual(["signal.outcome"]);
    expect(receiver.received).toMatchObject([{ type: "subscription.expiring", data }]);
  });

  it("sends administrators their events from the moment they are administrators", async () => {
    const channel = await addHook({ events: ["budget.reached"] });
    const reach = (percent: 80 | 100) =>
      stage.addEvent(ADMINS_STREAM, "budget:reached", { percent, spent_usd: 4, budget_usd: 5 });
    const setRole = async (role: UserRecord["role"]) => {
      await database.users.updateOne({ _id: ann._id }, { $set: { role } });
      await resolve("role changed");
      await stage.deliverDue();
    };
    await reach(80);
    await setRole("admin");
    await reach(100);
    await stage.deliverDue();
    await setRole("user");
    await reach(100);
    await setRole("admin");
    expect(receiver.received).toMatchObject([{ type: "budget.reached", data: { percent: 100 } }]);
    expect(await deliveriesOf(channel)).toHaveLength(1);
  });

  describe("with a submitted payment proof", () => {
    let channel: ChannelRecord;
    beforeEach(async () => {
      const admin = await createUser(database, { role: "admin" });
      const [head] = await database.streamHeads.find({ _id: ADMINS_STREAM }).lean();
      const events: ChannelRecord["events"] = ["proof.submitted"];
      channel = await addHook({ events, afterAdminSeq: head?.seq ?? 0 }, admin);
    });
    const submitProof = () =>
      stage.addEvent(ADMINS_STREAM, "proof:submitted", {
        username: "bob",
        sender_name: "Bob",
        filename: "a.png",
        url: "/payment_proofs/a.png",
        submitted_at: stage.now().toISOString(),
      });

    it("sends files as addresses that ask for a token", async () => {
      await submitProof();
      await stage.deliverDue();
      expect(receiver.received).toMatchObject([
        { data: { url: "https://api.example.com/payment_proofs/a.png" } },
      ]);
    });

    it("gives up an event that cannot be read, and continues with the next one", async () => {
      await submitProof();
      await database.events.updateMany({ stream: ADMINS_STREAM }, { $set: { "data.url": 1 } });
      await submitProof();
      await stage.deliverDue();
      expect(receiver.received).toHaveLength(1);
      expect(await deliveriesOf(channel)).toMatchObject([
        { status: "failed", error: "Its event cannot be read." },
        { status: "delivered" },
      ]);
    });
  });

  it("skips what is no longer kept, says so, and sends what is left", async () => {
    const channel = await addHook();
    for (const name of ["a", "b", "c"]) await resolve(name);
    await database.events.deleteMany({ stream: userStream(ann._id), seq: { $lte: 2 } });
    await stage.deliverDue();
    expect(receivedIds()).toEqual(["c"]);
    const error = "Events are kept for 7 days. Older ones that were skipped: 2.";
    expect(await deliveriesOf(channel)).toMatchObject([
      { status: "suppressed", error },
      { status: "delivered" },
    ]);
  });

  it("reads a long backlog in small parts, and has one open delivery at a time", async () => {
    const channel = await addHook({ events: ["signal.outcome"] });
    const stream = userStream(ann._id);
    const count = 10_000;
    const events = Array.from({ length: count }, (_, index) => ({
      _id: new Types.ObjectId(),
      stream,
      seq: index + 1,
      at: stage.now(),
      name: index % 250 === 249 ? "signal:outcome" : "history:cleared",
      data: index % 250 === 249 ? { signal_id: `${index}`, ...OUTCOME } : {},
    }));
    await nativeCollection(database.events).insertMany(events);
    await database.users.updateOne({ _id: ann._id }, { $set: { lastEventSeq: count } });
    await database.channels.updateOne({ _id: channel._id }, { $set: { dueAt: stage.now() } });
    const open = { channelId: channel._id, status: "retrying" as const };
    for (let round = 0; round < 20 && (await stored(channel))?.afterSeq !== count; round += 1) {
      const [claimed] = await stage.claim();
      if (claimed) await deliverChannel(stage.deps, claimed, new AbortController().signal);
      expect(await database.deliveries.countDocuments(open)).toBeLessThanOrEqual(1);
    }
    await stage.deliverDue();
    expect(receivedIds()).toEqual(Array.from({ length: 40 }, (_, index) => `${index * 250 + 249}`));
  });

  describe("if its worker dies", () => {
    const takeOver = async () => {
      await stage.deliverDue();
      stage.pass(LEASE_MS);
      await stage.deliverDue();
    };
    const begin = async () => {
      const channel = await addHook();
      await resolve("first");
      await resolve("second");
      await database.channels.updateOne({ _id: channel._id }, { $set: { dueAt: stage.now() } });
      const [lease] = await stage.claim("worker that dies");
      if (!lease) throw new Error("Nothing was due.");
      return lease;
    };

    it("after the claim, another one delivers once its lease has ended", async () => {
      await begin();
      await stage.deliverDue();
      expect(receiver.received).toEqual([]);
      await takeOver();
      expect(receivedIds()).toEqual(["first", "second"]);
    });

    it("after the delivery was stored, it keeps its id", async () => {
      const lease = await begin();
      await planDelivery(stage.deps, lease, { ...ann, lastEventSeq: 2 }, stage.now());
      const [planned] = await deliveriesOf(lease);
      await takeOver();
      expect(receiver.received[0]?.id).toBe(String(planned?._id));
      expect(receivedIds()).toEqual(["first", "second"]);
    });

    it("while it sends, the message may come twice, with the same id", async () => {
      const lease = await begin();
      const readTime = async () =>
        receiver.received.length === 0 ? stage.now() : new Promise<Date>(() => undefined);
      const dying = { ...stage.deps, readTime, senders: { webhook: { send: sendAndDie } } };
      void deliverChannel(dying, lease, new AbortController().signal);
      await until(() => receiver.received.length === 1);
      await takeOver();
      expect(receivedIds()).toEqual(["first", "first", "second"]);
      expect(receiver.received[0]?.id).toBe(receiver.received[1]?.id);
    });

    const sendAndDie: ChannelSender["send"] = async (message, abort) => {
      await stage.deps.senders.webhook?.send(message, abort);
      return new Promise(() => undefined);
    };

    it("after the result was stored, nothing is sent again", async () => {
      const lease = await begin();
      const stopping = new AbortController();
      const dying = {
        ...stage.deps,
        metrics: { deliveryAttempted: () => stopping.abort() },
        readTime: async () => {
          if (stopping.signal.aborted && (await deliveriesOf(lease))[0]?.status === "delivered") {
            return new Promise<Date>(() => undefined);
          }
          return stage.now();
        },
      };
      void deliverChannel(dying, lease, stopping.signal);
      await until(async () => (await deliveriesOf(lease))[0]?.status === "delivered");
      await takeOver();
      expect(receivedIds()).toEqual(["first", "second"]);
    });

    it("or is suspended, its late result changes nothing", async () => {
      const lease = await begin();
      let resume: (result: SendResult) => void = () => undefined;
      const send = () => new Promise<SendResult>((give) => (resume = give));
      const suspended = { ...stage.deps, senders: { webhook: { send } } };
      const work = deliverChannel(suspended, lease, new AbortController().signal);
      await until(async () => (await deliveriesOf(lease)).length === 1);
      await takeOver();
      resume({ outcome: "retry", responseStatus: 500, error: "late" });
      await work;
      expect((await deliveriesOf(lease)).map(({ status }) => status)).toEqual([
        "delivered",
        "delivered",
      ]);
      expect(await stored(lease)).toMatchObject({ leaseId: null, dueAt: null });
    });
  });
});

async function until(isTrue: () => boolean | Promise<boolean>): Promise<void> {
  await expect.poll(isTrue, { timeout: 30_000, interval: 20 }).toBe(true);
}
