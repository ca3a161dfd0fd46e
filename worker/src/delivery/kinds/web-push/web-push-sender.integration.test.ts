import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { HOUR_MS } from "@shared/contract/constants.ts";
import { type Database, openDatabase } from "@shared/database/database.ts";
import type { ChannelRecord } from "@shared/database/models/channel.ts";
import type { UserRecord } from "@shared/database/models/user.ts";
import { presentSignal } from "@shared/domain/present-signal.ts";
import { userStream } from "@shared/outbox/streams.ts";
import { readOrMakeVapidKeys } from "@shared/runtime/local-secrets.ts";
import { createChannel, createUser } from "@shared/testing/factories.ts";
import {
  type FakePushService,
  startFakePushService,
} from "@shared/testing/fakes/fake-push-service.ts";
import { createSignals, tradeAnalysis, WAIT_ANALYSIS } from "@shared/testing/signal-factory.ts";
import { testDatabaseUri } from "@shared/testing/test-mongo.ts";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { z } from "zod";
import { type DeliveryStage, deliveryStage } from "../../../testing/delivery-stage.ts";
import { LEASE_MS } from "../../channel-leases.ts";
import { deliverChannel } from "../../deliver-channel.ts";
import { webPushSender } from "./web-push-sender.ts";

const messageSchema = z.object({
  type: z.string(),
  timestamp: z.string(),
  data: z.looseObject({ signal_id: z.string() }),
});

describe("a web push channel", () => {
  let database: Database;
  let service: FakePushService;
  let stage: DeliveryStage;
  let ann: UserRecord;
  let channel: ChannelRecord;
  const keys = readOrMakeVapidKeys(mkdtempSync(join(tmpdir(), "vapid-")));
  const vapid = { ...keys, subject: "mailto:support@example.com" };
  beforeAll(async () => {
    database = await openDatabase({ uri: testDatabaseUri() });
  });
  beforeEach(async () => {
    service = await startFakePushService();
    stage = deliveryStage(database, { "web-push": webPushSender({ allowPrivate: true }, vapid) });
    await database.channels.deleteMany();
    ann = await createUser(database);
    channel = await subscribe();
    return () => service.close();
  });
  afterAll(() => database.close());

  const subscribe = (publicKey = keys.publicKey) => {
    const subscription = service.subscribe(publicKey);
    const target = stage.channelSecrets.seal({ kind: "web-push", subscription });
    return createChannel(stage, ann, { url: "", kind: "web-push", target });
  };
  const resolve = (signal_id: string) =>
    stage.addEvent(ann, "signal:outcome", {
      signal_id,
      outcome: "WIN",
      resolved_at: "2026-11-21T10:00:00.000Z",
    });
  const received = () => service.received.map(({ text }) => messageSchema.parse(JSON.parse(text)));
  const receivedIds = () => received().map(({ data }) => data.signal_id);
  const deliveries = () =>
    database.deliveries.find({ channelId: channel._id }).sort({ order: 1 }).lean();

  it("sends what webhooks get, encrypted for the browser and signed, until it is of no use", async () => {
    const valid_until = new Date(stage.now().getTime() + HOUR_MS).toISOString();
    const rationale = "The trend is up. ".repeat(400);
    const { raw_ai } = tradeAnalysis(stage.now());
    const [signal] = await createSignals(database, ann, {
      analysis: tradeAnalysis(stage.now(), { valid_until, raw_ai: { ...raw_ai, rationale } }),
    });
    if (!signal) throw new Error("No signal was made.");
    const data = presentSignal(signal);
    await stage.addEvent(ann, "signal:completed", data);
    const timestamp = stage.now().toISOString();
    stage.pass(HOUR_MS / 2);
    await stage.deliverDue();
    const [push] = service.received;
    expect(push).toMatchObject({ ttlSeconds: 1_800, urgency: "high", subject: vapid.subject });
    expect(push?.encryptedBytes).toBeLessThanOrEqual(3_072);
    const { signal_id, symbol, timeframe, analysis } = data;
    const { entry, stop_loss, take_profit } = analysis ?? {};
    expect(received()).toMatchObject([
      {
        type: "signal.completed",
        timestamp,
        data: { signal_id, symbol, timeframe, analysis: { entry, stop_loss, take_profit } },
      },
    ]);
    expect(await deliveries()).toMatchObject([{ status: "delivered", responseStatus: 201 }]);
  });

  it("sends in order; other messages wait for a browser for a day", async () => {
    await resolve("first");
    await resolve("second");
    await stage.deliverDue();
    expect(receivedIds()).toEqual(["first", "second"]);
    expect(service.received.map(({ ttlSeconds, urgency }) => [ttlSeconds, urgency])).toEqual([
      [86_400, "normal"],
      [86_400, "normal"],
    ]);
  });

  it("keeps a signal that needs no action for a day, however late it is sent", async () => {
    const [signal] = await createSignals(database, ann, { analysis: WAIT_ANALYSIS });
    if (!signal) throw new Error("No signal was made.");
    await stage.addEvent(ann, "signal:completed", presentSignal(signal));
    stage.pass(2 * HOUR_MS);
    await stage.deliverDue();
    expect(service.received).toMatchObject([{ ttlSeconds: 86_400, urgency: "high" }]);
  });

  it("retries while later messages wait, and waits as long as the service asks for", async () => {
    service.answer({ status: 500 }, { status: 429, headers: { "retry-after": "120" } });
    await resolve("first");
    await resolve("second");
    await stage.deliverDue();
    stage.pass(5_000);
    await stage.deliverDue();
    stage.pass(60_000);
    await stage.deliverDue();
    expect(receivedIds()).toEqual(["first", "first"]);
    expect(await deliveries()).toMatchObject([{ status: "retrying", responseStatus: 429 }]);
    stage.pass(60_000);
    await stage.deliverDue();
    expect(receivedIds()).toEqual(["first", "first", "first", "second"]);
    expect(await deliveries()).toMatchObject([{ attempts: 3, status: "delivered" }, {}]);
  });

  it.each([404, 410])("turns the channel off when the service answers with %d", async (status) => {
    service.answer({ status });
    await resolve("first");
    await resolve("second");
    await stage.deliverDue();
    expect(receivedIds()).toEqual(["first"]);
    expect(await database.channels.findById(channel._id).lean()).toMatchObject({
      enabled: false,
      disabledReason: "gone",
    });
    const events = await database.events.find({ stream: userStream(ann._id) }).lean();
    expect(events.at(-1)).toMatchObject({
      name: "channel:disabled",
      data: { channel_id: String(channel._id), kind: "web-push", reason: "gone" },
    });
  });

  it("sends the service of another key nothing, and the browser of an ended subscription neither", async () => {
    await database.channels.deleteMany();
    channel = await subscribe("another key");
    await resolve("first");
    await stage.deliverDue();
    expect(await deliveries()).toMatchObject([{ status: "retrying", responseStatus: 403 }]);
    service.unsubscribeAll();
    stage.pass(5_000);
    await stage.deliverDue();
    expect(await deliveries()).toMatchObject([{ status: "failed", responseStatus: 410 }]);
    expect(service.received).toEqual([]);
  });

  it("calls public addresses only", async () => {
    const policy = {
      allowPrivate: false,
      resolve: async () => [{ address: "10.0.0.1", family: 4 }],
    };
    const subscription = service.subscribe(keys.publicKey);
    for (const endpoint of [subscription.endpoint, "https://push.example.com/1"]) {
      const result = await webPushSender(policy, vapid).send(
        {
          id: "1",
          channelId: "1",
          type: "channel.test",
          data: {},
          timestamp: stage.now(),
          target: { kind: "web-push", subscription: { ...subscription, endpoint } },
          user: ann,
          sentAt: stage.now(),
          validUntil: null,
        },
        AbortSignal.timeout(5_000),
      );
      expect(result).toMatchObject({ outcome: "retry", responseStatus: null });
      expect(result.error).toMatch(/public address|https/);
    }
    expect(service.received).toEqual([]);
  });

  it("sends a message twice, with the same id, if its worker dies before it is recorded", async () => {
    await resolve("first");
    await database.channels.updateOne({ _id: channel._id }, { $set: { dueAt: stage.now() } });
    const [lease] = await stage.claim("worker that dies");
    if (!lease) throw new Error("Nothing was due.");
    const readTime = async () => {
      if (service.received.length > 0) throw new Error("killed");
      return stage.now();
    };
    const { signal } = new AbortController();
    await expect(deliverChannel({ ...stage.deps, readTime }, lease, signal)).rejects.toThrow();
    stage.pass(LEASE_MS);
    await stage.deliverDue();
    expect(receivedIds()).toEqual(["first", "first"]);
    const [delivery] = await deliveries();
    expect(delivery).toMatchObject({ attempts: 1, status: "delivered" });
    const topics = service.received.map(({ topic }) => topic);
    expect(topics).toEqual([String(delivery?._id), String(delivery?._id)]);
  });
});
