import { type Database, openDatabase } from "@shared/database/database.ts";
import type { UserRecord } from "@shared/database/models/user.ts";
import { commit } from "@shared/outbox/commit.ts";
import { ADMINS_STREAM, userIdOf, userStream } from "@shared/outbox/streams.ts";
import { loadSettings } from "@shared/runtime/settings.ts";
import { createUser } from "@shared/testing/factories.ts";
import { createSignals } from "@shared/testing/signal-factory.ts";
import { testDatabaseUri } from "@shared/testing/test-mongo.ts";
import { Types } from "mongoose";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { listNotifications, markNotificationsSeen } from "./notifications.ts";
import { getCurrentUser } from "./own-account.ts";

const CHANGES = 50;
const settings = loadSettings({
  JWT_SECRET: "a test secret of more than 32 characters",
  ADMIN_PASSWORD: "correct horse",
});

describe("describeMe", () => {
  let database: Database;
  beforeAll(async () => {
    database = await openDatabase({ uri: testDatabaseUri() });
  });
  afterAll(() => database.close());

  const deps = () => ({ database, settings, now: () => new Date() });

  /** One credit more for each event, so that credits and event numbers count the same thing. */
  const grantCredit = (user: UserRecord) =>
    commit(database, { lockKeys: userStream(user._id) }, async ({ session, addEvent }) => {
      const { _id } = user;
      await database.users.updateOne({ _id }, { $inc: { imageCredits: 1 } }, { session });
      addEvent(userStream(_id), "proof:deleted", {});
    });

  it("never claims an event whose effect it does not show, while changes go on", async () => {
    const user = await createUser(database);
    let changing = true;
    const changes = (async () => {
      for (let count = 0; count < CHANGES; count++) await grantCredit(user);
      changing = false;
    })();
    const reads: { credits: number; seq: number }[] = [];
    while (changing) {
      const me = await getCurrentUser(deps(), user._id);
      reads.push({ credits: me.image_credits, seq: me.stream_positions.user });
    }
    await changes;
    expect(reads.filter(({ credits, seq }) => seq > credits)).toEqual([]);
    expect(reads.some(({ seq }) => seq > 0 && seq < CHANGES)).toBe(true);
  });

  it("rejects a user who was deleted after the token was verified", async () => {
    const user = await createUser(database);
    await database.users.deleteOne({ _id: user._id });
    await expect(getCurrentUser(deps(), user._id)).rejects.toMatchObject({
      code: "unauthenticated",
    });
  });

  describe("notifications", () => {
    const addEvents = async (stream: string, ...events: [name: string, data: object][]) => {
      await database.events.insertMany(
        events.map(([name, data], index) => ({
          _id: new Types.ObjectId(),
          stream,
          seq: index + 1,
          name,
          data,
          at: new Date(index),
        })),
      );
      const userId = userIdOf(stream);
      const seq = events.length;
      if (userId) await database.users.updateOne({ _id: userId }, { lastEventSeq: seq });
      else await database.streamHeads.updateOne({ _id: stream }, { seq }, { upsert: true });
    };
    const namesOf = async (user: UserRecord) => {
      const { notifications } = await listNotifications(deps(), user);
      return notifications.map(({ stream, name }) => `${stream} ${name}`);
    };
    const account = { approved: true, role: "user", allow_image_upload: false, image_credits: 5 };
    const budget = { percent: 80, spent_usd: 8, budget_usd: 10 };

    it("are the events that are new to the user, newest first", async () => {
      const user = await createUser(database);
      const [signal] = await createSignals(database, user);
      const stream = userStream(user._id);
      const ref = { signal_id: signal?._id.toString(), symbol: "BTC/USDT", timeframe: "1h" };
      const { signal_id } = ref;
      const resolved_at = "2026-11-20T13:00:00.000Z";
      await addEvents(
        stream,
        ["signal:queued", ref],
        ["account:updated", { ...account, reason: "credits-granted" }],
        ["account:updated", { ...account, reason: "credit-spent" }],
        ["signal:outcome", { signal_id, outcome: "WIN", resolved_at }],
      );
      const { notifications } = await listNotifications(deps(), user);
      expect(notifications).toMatchObject([
        { seq: 4, name: "signal:outcome", data: { symbol: signal?.symbol, outcome: "WIN" } },
        { seq: 2, name: "account:updated", data: { reason: "credits-granted" } },
      ]);
    });

    it("are one for a signal whose trade was filled before the user asked", async () => {
      const user = await createUser(database);
      const [signal] = await createSignals(database, user);
      if (!signal) throw new Error("there is no signal");
      const fillAfter = (ms: number) => {
        const filled_at = new Date(signal.createdAt.getTime() + ms).toISOString();
        return { signal_id: signal._id.toString(), price: 100, filled_at };
      };
      const stream = userStream(user._id);
      await addEvents(stream, ["signal:filled", fillAfter(-60_000)]);
      expect(await namesOf(user)).toEqual([]);
      await database.events.deleteMany({ stream });
      await addEvents(stream, ["signal:filled", fillAfter(-59_000)]);
      expect(await namesOf(user)).toEqual(["user signal:filled"]);
    });

    it("of administrators are for administrators only", async () => {
      const user = await createUser(database);
      const admin = await createUser(database, { role: "admin" });
      await addEvents(ADMINS_STREAM, ["budget:reached", budget]);
      expect(await namesOf(user)).toEqual([]);
      expect(await namesOf(admin)).toContain("admins budget:reached");
    });

    it("are seen up to the highest number that any tab reports, which the others receive once", async () => {
      const { _id } = await createUser(database);
      const mark = (user: number, admins?: number) =>
        markNotificationsSeen(deps(), { _id }, { user, ...(admins !== undefined && { admins }) });
      const read = async () => database.users.findById(_id).orFail().lean();
      expect((await listNotifications(deps(), await read())).seen).toBeNull();
      await mark(5);
      await mark(4);
      await mark(5);
      await mark(3, 2);
      expect((await listNotifications(deps(), await read())).seen).toEqual({ user: 5, admins: 2 });
      const events = await database.events
        .find({ stream: userStream(_id) })
        .sort({ seq: 1 })
        .lean();
      expect(events.map(({ name, data }) => ({ name, data }))).toEqual([
        { name: "notifications:seen", data: { user: 5 } },
        { name: "notifications:seen", data: { user: 5, admins: 2 } },
      ]);
    });

    it("are the last 50, without those that this release does not know", async () => {
      const user = await createUser(database);
      const known = Array.from({ length: 60 }, (): [string, object] => ["proof:deleted", {}]);
      await addEvents(userStream(user._id), ...known, [
        "account:updated",
        { ...account, reason: "of-the-next-release" },
      ]);
      const { notifications } = await listNotifications(deps(), user);
      expect(notifications.map(({ seq }) => seq)).toEqual(
        Array.from({ length: 49 }, (_, index) => 60 - index),
      );
    });
  });
});
