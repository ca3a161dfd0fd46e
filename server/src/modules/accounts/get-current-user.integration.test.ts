import { type Database, openDatabase } from "@shared/database/database.ts";
import type { UserRecord } from "@shared/database/models/user.ts";
import { commit } from "@shared/outbox/commit.ts";
import { userStream } from "@shared/outbox/streams.ts";
import { loadSettings } from "@shared/runtime/settings.ts";
import { createUser } from "@shared/testing/factories.ts";
import { testDatabaseUri } from "@shared/testing/test-mongo.ts";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { getCurrentUser } from "./get-current-user.ts";

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
});
