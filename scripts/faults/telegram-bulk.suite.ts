import { HOUR_MS } from "@shared/contract/constants.ts";
import { type Database, openDatabase } from "@shared/database/database.ts";
import type { ChannelRecord } from "@shared/database/models/channel.ts";
import { searchKeyOf, type UserRecord } from "@shared/database/models/user.ts";
import { ChannelSecrets } from "@shared/domain/channel-secrets.ts";
import { presentSignal } from "@shared/domain/present-signal.ts";
import { userStream } from "@shared/outbox/streams.ts";
import { createChannel, createUser } from "@shared/testing/factories.ts";
import { startFakeExchange } from "@shared/testing/fakes/fake-exchange.ts";
import { type FakeTelegram, startFakeTelegram } from "@shared/testing/fakes/fake-telegram.ts";
import { newSignal, WAIT_ANALYSIS } from "@shared/testing/signal-factory.ts";
import { Types } from "mongoose";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { ReplicaSet, ServiceSlot } from "./harness/processes.ts";
import { until } from "./harness/until.ts";

const SECRET = "a secret of the suite, longer than 32 characters";
const TOKEN = "123:token";
const MAX_BULK_MS = 180_000;

/** Sent by a worker that was killed before it could record that: what was under way at once. */
const MAX_REPEATED = 5;

describe("one signal to many Telegram chats, by two workers", () => {
  let mongo: ReplicaSet;
  let database: Database;
  let telegram: FakeTelegram;
  let exchange: Awaited<ReturnType<typeof startFakeExchange>>;
  let workers: ServiceSlot[];
  beforeAll(async () => {
    mongo = await ReplicaSet.launch(1);
    database = await openDatabase({ uri: mongo.uri("the-test") });
    exchange = await startFakeExchange();
  });
  beforeEach(async () => {
    telegram = await startFakeTelegram(TOKEN);
    const market = { MARKET_DATA: "live", EXCHANGES: "binance", EXCHANGE_URL: exchange.url };
    const bot = { TELEGRAM_BOT_TOKEN: TOKEN, TELEGRAM_API_URL: telegram.url };
    const env = { ...market, ...bot, CHANNEL_SECRET: SECRET };
    workers = ["worker-a", "worker-b"].map((name) => {
      return new ServiceSlot({
        name,
        kind: "worker",
        env: { ...env, MONGODB_URI: mongo.uri(name) },
      });
    });
    await Promise.all(workers.map((worker) => worker.start()));
  });
  afterEach(async () => {
    await Promise.all(workers.map((worker) => worker.kill()));
    await telegram.close();
    await Promise.all([database.channels.deleteMany(), database.deliveries.deleteMany()]);
  });
  afterAll(async () => {
    await exchange.close();
    await database.close();
    await mongo.remove();
  });

  const chats = () => new Set(telegram.sent.map(({ chatId }) => chatId));
  const untilSent = (count: number) =>
    until(() => chats().size >= count, { what: `${count} messages`, withinMs: 230_000 });
  const untilSending = () =>
    until(async () => (await sender()) !== undefined, { what: "a worker that has the lease" });
  /** The worker that does the work for Telegram. */
  const sender = async (): Promise<ServiceSlot | undefined> => {
    const lease = await database.leases.findOne({ expiresAt: { $gt: new Date() } }).lean();
    return workers.find(({ pid }) => lease?.owner.includes(`:${pid}:`));
  };
  /** All deliveries were made once each, whatever was sent twice. */
  const expectDelivered = async (recipients: number) => {
    await until(
      async () => (await database.deliveries.countDocuments({ status: "delivered" })) >= recipients,
      { what: "the results of all deliveries" },
    );
    expect(await database.deliveries.countDocuments()).toBe(recipients);
    expect(telegram.calls.filter(({ status }) => status === 409).length).toBeLessThanOrEqual(1);
  };

  it("sends each of 1,000 once, at most 30 in a second", async () => {
    await untilSending();
    await sendBulk(database, 1_000);
    await untilSent(1_000);
    await expectDelivered(1_000);
    expect(telegram.sent).toHaveLength(1_000);
    const first = telegram.sent[0];
    const last = telegram.sent.at(-1);
    const seconds = ((last?.atMs ?? 0) - (first?.atMs ?? 0)) / 1_000;
    expect(1_000 / (seconds + 1)).toBeLessThanOrEqual(30);
  });

  it("sends to 5,000 in 3 minutes, though the worker that sends is killed midway", async () => {
    await untilSending();
    await sendBulk(database, 5_000);
    const startedAt = performance.now();
    await untilSent(2_500);
    await (await sender())?.kill();
    await untilSent(5_000);
    const tookMs = Math.round(performance.now() - startedAt);
    await expectDelivered(5_000);
    const repeated = telegram.sent.length - 5_000;
    console.log({ tookMs, repeated });
    expect(tookMs).toBeLessThan(MAX_BULK_MS);
    expect(repeated).toBeLessThanOrEqual(MAX_REPEATED);
  });
});

/** Users who have a Telegram channel each get a signal at the same time. */
async function sendBulk(database: Database, count: number): Promise<void> {
  const channelSecrets = new ChannelSecrets(SECRET);
  const template = await createUser(database, { approved: true });
  const channel = await createChannel({ database, channelSecrets }, template, "");
  await database.channels.deleteMany();
  const at = new Date();
  const analysis = {
    ...WAIT_ANALYSIS,
    final_signal: "BUY" as const,
    confidence: 70,
    entry: 100,
    stop_loss: 95,
    take_profit: 110,
    valid_until: new Date(at.getTime() + HOUR_MS).toISOString(),
  };
  const made = Array.from({ length: count }, (_, index) => {
    const user = { ...template, ...newNames(), lastEventSeq: 1 };
    const signal = { ...newSignal(user), analysis };
    const target = channelSecrets.seal({ kind: "telegram", chatId: String(index + 1) });
    const added: ChannelRecord = {
      ...channel,
      _id: new Types.ObjectId(),
      userId: user._id,
      kind: "telegram",
      target,
      afterSeq: 0,
    };
    const event = {
      stream: userStream(user._id),
      seq: 1,
      at,
      name: "signal:completed",
      data: presentSignal(signal),
    };
    return { user, signal, channel: added, event };
  });
  await database.users.collection.insertMany(made.map(({ user }) => user));
  await database.signals.collection.insertMany(made.map(({ signal }) => signal));
  await database.channels.collection.insertMany(made.map((each) => each.channel));
  await database.events.collection.insertMany(made.map(({ event }) => event));
}

function newNames(): Pick<
  UserRecord,
  "_id" | "username" | "usernameKey" | "email" | "emailKey" | "searchKey" | "identityId"
> {
  const _id = new Types.ObjectId();
  const names = { usernameKey: `user-${_id}`, emailKey: `user-${_id}@example.com` };
  return {
    _id,
    ...names,
    username: names.usernameKey,
    email: names.emailKey,
    searchKey: searchKeyOf(names),
    identityId: _id.toString(),
  };
}
