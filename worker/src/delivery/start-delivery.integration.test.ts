import { setTimeout as delay } from "node:timers/promises";
import { type Database, openDatabase } from "@shared/database/database.ts";
import { DELIVERY_CONTROL_ID } from "@shared/database/models/channel.ts";
import type { UserRecord } from "@shared/database/models/user.ts";
import { createLogger } from "@shared/runtime/logger.ts";
import type { Mailer } from "@shared/runtime/mailer.ts";
import { createChannel, createUser } from "@shared/testing/factories.ts";
import { type FakeWebhook, startFakeWebhook } from "@shared/testing/fakes/fake-webhook.ts";
import { testDatabaseUri } from "@shared/testing/test-mongo.ts";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from "vitest";
import { z } from "zod";
import { type DeliveryStage, deliveryStage } from "../testing/delivery-stage.ts";
import { wakeLateChannels } from "./channel-leases.ts";
import { emailSender } from "./kinds/email/email-sender.ts";
import { startDelivery } from "./start-delivery.ts";

const WITHIN = { timeout: 30_000, interval: 20 };
const signalRefSchema = z.object({ signal_id: z.string() });

describe("workers that deliver", () => {
  let database: Database;
  let stage: DeliveryStage;
  let receiver: FakeWebhook;
  const workers: Awaited<ReturnType<typeof startDelivery>>[] = [];
  beforeAll(async () => {
    database = await openDatabase({ uri: testDatabaseUri() });
    stage = deliveryStage(database);
  });
  beforeEach(async () => {
    receiver = await startFakeWebhook();
  });
  afterEach(async () => {
    await receiver.close();
    await Promise.all(workers.splice(0).map((worker) => worker.stop()));
    await database.channels.deleteMany();
  });
  afterAll(() => database.close());

  const start = async (workerId: string, changes: Partial<typeof stage.deps> = {}) => {
    const deps = { ...stage.deps, workerId, readTime: async () => new Date(), ...changes };
    workers.push(await startDelivery({ ...deps, attemptTimeoutMs: 2_000 }));
  };
  const addHook = async (url = receiver.url): Promise<UserRecord> => {
    const user = await createUser(database);
    await createChannel(stage, user, `${url}/${user.username}`);
    return user;
  };
  const resolve = (user: UserRecord, signal_id: string) =>
    stage.addEvent(user, "signal:outcome", {
      signal_id,
      outcome: "WIN",
      resolved_at: "2026-11-21T10:00:00.000Z",
    });
  const received = () => receiver.received.map(({ data }) => signalRefSchema.parse(data).signal_id);

  it("notice an event at once, and one that was missed later", async () => {
    const ann = await addHook();
    const bob = await addHook();
    await resolve(bob, "before the start");
    await start("a");
    await resolve(ann, "now");
    await vi.waitFor(
      () => expect(received().toSorted()).toEqual(["before the start", "now"]),
      WITHIN,
    );
    expect(await wakeLateChannels(database, new Date())).toBe(0);
  });

  it("send an event soon although they could not look for it at first", async () => {
    const warn = vi.fn();
    const logger = createLogger({ service: "test", level: "silent" });
    let isAway = true;
    const readTime = async () => {
      if (isAway) throw new Error("away");
      return new Date();
    };
    await resolve(await addHook(), "missed");
    // Their feed starts with the last write.
    await addHook();
    await start("a", { readTime, logger: Object.assign(logger, { warn }) });
    const failure = expect.stringMatching(/^channels could not be woken/);
    await vi.waitFor(() => expect(warn).toHaveBeenCalledWith(expect.anything(), failure), WITHIN);
    isAway = false;
    await vi.waitFor(() => expect(received()).toEqual(["missed"]), WITHIN);
  });

  it("share the channels: each event is sent once, and in order", async () => {
    const users = await Promise.all(Array.from({ length: 6 }, () => addHook()));
    await Promise.all([start("a"), start("b")]);
    const numbers = Array.from({ length: 6 }, (_, index) => index);
    await Promise.all(
      users.map(async (user) => {
        for (const number of numbers) await resolve(user, `${user.username} ${number}`);
      }),
    );
    await vi.waitFor(() => expect(received()).toHaveLength(6 * 6), WITHIN);
    for (const { username } of users) {
      const own = received().filter((id) => id.startsWith(`${username} `));
      expect(own).toEqual(numbers.map((number) => `${username} ${number}`));
    }
  });

  it("let no user wait for a receiver that does not answer", async () => {
    const silent = await startFakeWebhook();
    silent.answer(...Array.from({ length: 200 }, () => null));
    const slow = await Promise.all(Array.from({ length: 30 }, () => addHook(silent.url)));
    const ann = await addHook();
    await start("a");
    for (const user of slow) await resolve(user, "slow");
    await vi.waitFor(() => expect(silent.received).toHaveLength(30), WITHIN);
    await resolve(ann, "quick");
    await vi.waitFor(() => expect(received()).toEqual(["quick"]), WITHIN);
    expect(
      await database.deliveries.countDocuments({ attempts: { $gt: 0 }, status: "failed" }),
    ).toBe(0);
    await silent.close();
  });

  it("open few connections to a slow mail server, and count no wait for one as an attempt", async () => {
    let open = 0;
    let most = 0;
    let sent = 0;
    const mailer: Mailer = {
      check: async () => "done",
      async send() {
        open += 1;
        most = Math.max(most, open);
        await delay(900);
        open -= 1;
        sent += 1;
      },
    };
    const secrets = stage.channelSecrets;
    const settings = { VITE_API_URL: "https://api.example.com", CLIENT_ORIGIN: [] };
    const target = secrets.seal({ kind: "email" });
    const add = async () => {
      const user = await createUser(database);
      const channel = await createChannel(stage, user, { url: "", kind: "email", target });
      await resolve(user, "slow");
      return channel._id;
    };
    const channelId = { $in: await Promise.all(Array.from({ length: 35 }, add)) };
    await start("a", { senders: { email: emailSender({ database, mailer, secrets, settings }) } });
    await vi.waitFor(() => expect(sent).toBe(35), WITHIN);
    expect(most).toBe(10);
    const failed = { channelId, error: { $ne: null } };
    expect(await database.deliveries.countDocuments(failed)).toBe(0);
  });

  it("send nothing while deliveries are paused", async () => {
    const ann = await addHook();
    const bob = await addHook();
    const pause = (paused: boolean) =>
      database.deliveryControl.updateOne(
        { _id: DELIVERY_CONTROL_ID },
        { $set: { paused } },
        { upsert: true },
      );
    await pause(true);
    await start("a");
    await resolve(ann, "one");
    await vi.waitFor(async () => {
      expect(
        await database.channels.exists({ userId: ann._id, dueAt: { $ne: null } }),
      ).not.toBeNull();
    }, WITHIN);
    await resolve(bob, "two");
    expect(received()).toEqual([]);
    await pause(false);
    await vi.waitFor(() => expect(received().toSorted()).toEqual(["one", "two"]), WITHIN);
  });
});
