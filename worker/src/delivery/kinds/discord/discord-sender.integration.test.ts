import { type Database, openDatabase } from "@shared/database/database.ts";
import type { ChannelRecord } from "@shared/database/models/channel.ts";
import type { UserRecord } from "@shared/database/models/user.ts";
import { ADMINS_STREAM, readStreamHead } from "@shared/outbox/streams.ts";
import { createChannel, createUser } from "@shared/testing/factories.ts";
import { type FakeDiscord, startFakeDiscord } from "@shared/testing/fakes/fake-discord.ts";
import { testDatabaseUri } from "@shared/testing/test-mongo.ts";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { type DeliveryStage, deliveryStage } from "../../../testing/delivery-stage.ts";
import { startDiscord } from "./discord-sender.ts";

describe("a Discord channel", () => {
  let database: Database;
  let discord: FakeDiscord;
  let stage: DeliveryStage;
  let ann: UserRecord;
  beforeAll(async () => {
    database = await openDatabase({ uri: testDatabaseUri() });
  });
  afterAll(() => database.close());
  beforeEach(async () => {
    discord = await startFakeDiscord();
    const settings = { CLIENT_ORIGIN: ["https://app.example.com"] };
    const policy = { allowPrivate: true };
    stage = deliveryStage(database, { discord: startDiscord({ database, policy, settings }) });
    ann = await createUser(database);
  });
  afterEach(() => discord.close());

  const addChannel = (url = discord.webhookUrl) => {
    const target = stage.channelSecrets.seal({ kind: "discord", url });
    return createChannel(stage, ann, { url, kind: "discord", target, events: ["account.updated"] });
  };
  const changeCredits = (image_credits: number) =>
    stage.addEvent(ann, "account:updated", {
      approved: true,
      role: "user",
      allow_image_upload: true,
      image_credits,
      reason: "credits-granted",
    });
  const lastDelivery = ({ _id: channelId }: Pick<ChannelRecord, "_id">) =>
    database.deliveries.findOne({ channelId }).sort({ order: -1 }).lean();

  it("gets messages in order, with a link, and in the thread of its address", async () => {
    await addChannel(`${discord.webhookUrl}?thread_id=77`);
    await changeCredits(1);
    await changeCredits(2);
    await stage.deliverDue();
    expect(discord.posted.map(({ content }) => content)).toEqual([
      expect.stringContaining("You have 1 image credit."),
      expect.stringContaining("You have 2 image credits."),
    ]);
    expect(discord.posted[0]?.content).toContain("(<https://app.example.com/dashboard>)");
    expect(discord.posted[0]?.threadId).toBe("77");
  });

  it.each([
    ["decimals", { status: 429, retryAfter: 64.57, headers: { "retry-after": "65" } }, 64_570],
    ["a header that a proxy adds", { status: 429, headers: { "retry-after": "120" } }, 120_000],
    ["no time", { status: 429 }, 5_000],
    ["a page of a proxy", "html" as const, 5_000],
  ])("waits after 429 for as long as Discord asks for: %s", async (_, answer, waitMs) => {
    const channel = await addChannel();
    discord.answer(answer);
    await changeCredits(1);
    await stage.deliverDue();
    const delivery = await lastDelivery(channel);
    expect(delivery).toMatchObject({ status: "retrying", responseStatus: 429, attempts: 1 });
    expect(delivery?.nextAttemptAt).toEqual(new Date(stage.now().getTime() + waitMs));
    stage.pass(waitMs);
    await stage.deliverDue();
    expect(discord.posted).toHaveLength(1);
  });

  it("notifies no member, whatever users have written", async () => {
    const admin = await createUser(database, { role: "admin" });
    const target = stage.channelSecrets.seal({ kind: "discord", url: discord.webhookUrl });
    const afterAdminSeq = await readStreamHead(database, ADMINS_STREAM);
    const events: ChannelRecord["events"] = ["proof.submitted"];
    const options = { url: "", kind: "discord", target, events, afterAdminSeq } as const;
    await createChannel(stage, admin, options);
    await stage.addEvent(ADMINS_STREAM, "proof:submitted", {
      username: "bob",
      sender_name: "@everyone [click](https://evil.example)",
      filename: "proof.png",
      url: "/payment_proofs/proof.png",
      submitted_at: "2026-11-21T10:00:00.000Z",
    });
    await stage.deliverDue();
    expect(discord.posted).toMatchObject([{ notifiedEveryone: false }]);
    expect(discord.posted[0]?.content).toContain("@\u200beveryone \\[click\\]");
  });

  it("is turned off with the reason when its webhook was deleted", async () => {
    const channel = await addChannel();
    discord.deleteWebhook();
    await changeCredits(1);
    await stage.deliverDue();
    expect(await lastDelivery(channel)).toMatchObject({
      status: "failed",
      responseStatus: 404,
      error: "The webhook was deleted in Discord.",
    });
    expect(await database.channels.findById(channel._id).lean()).toMatchObject({
      enabled: false,
      disabledReason: "gone",
    });
    const events = await database.events.find({ name: "channel:disabled" }).lean();
    expect(events.map(({ data }) => data)).toContainEqual({
      channel_id: channel._id.toString(),
      kind: "discord",
      reason: "gone",
    });
  });

  it.each([
    [{ status: 404 }, false, "Discord answered with 404 (code 0)."],
    [{ status: 401, code: 50_027 }, false, "The webhook has another token in Discord now."],
    [{ status: 400, code: 50_006 }, true, "Discord answered with 400 (code 50006)."],
    [
      { status: 400, code: 220_001 },
      true,
      "The webhook belongs to a forum: add ?thread_id= and the id of a thread to its URL.",
    ],
    [{ status: 500 }, true, "Discord answered with 500 (code 0)."],
  ])("says what %j means, and is on after it: %s", async (answer, enabled, error) => {
    const channel = await addChannel();
    discord.answer(answer);
    await changeCredits(1);
    await stage.deliverDue();
    expect(await lastDelivery(channel)).toMatchObject({ error });
    expect(await database.channels.findById(channel._id).lean()).toMatchObject({ enabled });
  });

  it("does not say its address if nothing can be reached, and calls no private address", async () => {
    const url = "http://127.0.0.1:9/api/webhooks/1/the-token";
    const channel = await addChannel(url);
    await changeCredits(1);
    await stage.deliverDue();
    const error = "The receiver could not be reached (ECONNREFUSED).";
    expect(await lastDelivery(channel)).toMatchObject({ error });
    const policy = { allowPrivate: false };
    const settings = { CLIENT_ORIGIN: ["https://app.example.com"] };
    const message = {
      id: "1",
      channelId: "1",
      type: "channel.test" as const,
      timestamp: new Date(),
      data: {},
      target: { kind: "discord" as const, url: "https://127.0.0.1/api/webhooks/1/the-token" },
      user: ann,
      sentAt: new Date(),
      validUntil: null,
    };
    const sender = startDiscord({ database, policy, settings });
    const result = await sender.send(message, AbortSignal.timeout(5_000));
    expect(result).toMatchObject({ outcome: "retry", error: "This is not a public address." });
  });
});
