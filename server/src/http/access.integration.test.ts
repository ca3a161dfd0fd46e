import { type Database, openDatabase } from "@shared/database/database.ts";
import { loadSettings } from "@shared/runtime/settings.ts";
import { createUser, signTokenFor } from "@shared/testing/factories.ts";
import { testDatabaseUri } from "@shared/testing/test-mongo.ts";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { answerOk, captureLog, serve } from "../testing/start-test-server.ts";
import { requireAdmin, requireApproved, requireUser } from "./access.ts";
import { type AppMiddleware, sessionOf } from "./context.ts";
import { handleErrors } from "./handle-errors.ts";
import { requestId } from "./request-log.ts";

const settings = loadSettings({
  JWT_SECRET: "a secret of tests, longer than 32 characters",
  ADMIN_PASSWORD: "never used",
});

describe("what a route lets pass", () => {
  let database: Database;
  beforeAll(async () => {
    database = await openDatabase({ uri: testDatabaseUri() });
  });
  afterAll(() => database.close());

  const callGuarded = async (guards: AppMiddleware[], token?: string) => {
    const { logger } = captureLog();
    const server = await serve(requestId(logger), handleErrors, ...guards, answerOk);
    onTestFinished(server.close);
    const headers = token === undefined ? undefined : { Authorization: `Bearer ${token}` };
    const answer = await fetch(server.url, { headers });
    return answer.ok ? answer.status : [answer.status, (await answer.json()).code];
  };
  const approved = () => [
    requireUser({ database, settings, now: () => new Date() }),
    requireApproved,
  ];
  const admin = () => [requireUser({ database, settings, now: () => new Date() }), requireAdmin];

  it("approved users, from the moment they are until they are no more", async () => {
    const user = await createUser(database);
    const token = signTokenFor(user, settings);
    expect(await callGuarded(approved(), token)).toEqual([403, "not-approved"]);
    await database.users.updateOne({ _id: user._id }, { approved: true });
    expect(await callGuarded(approved(), token)).toBe(200);
    await database.users.updateOne({ _id: user._id }, { approved: false });
    expect(await callGuarded(approved(), token)).toEqual([403, "not-approved"]);
  });

  it("administrators, and no users who are only approved", async () => {
    const user = await createUser(database, { approved: true });
    const chief = await createUser(database, { role: "admin" });
    expect(await callGuarded(admin(), signTokenFor(user, settings))).toEqual([403, "not-admin"]);
    expect(await callGuarded(admin(), signTokenFor(chief, settings))).toBe(200);
  });

  it("administrators to the bot only if they are approved", async () => {
    const chief = await createUser(database, { role: "admin", approved: false });
    const token = signTokenFor(chief, settings);
    expect(await callGuarded(approved(), token)).toEqual([403, "not-approved"]);
  });

  it("no client without a token", async () => {
    expect(await callGuarded(approved())).toEqual([401, "unauthenticated"]);
    expect(await callGuarded(admin())).toEqual([401, "unauthenticated"]);
  });

  it("no client if the route did not authenticate it", async () => {
    const user = await createUser(database, { approved: true, role: "admin" });
    const token = signTokenFor(user, settings);
    const readsSession: AppMiddleware = (ctx) => {
      ctx.body = sessionOf(ctx).user.username;
    };
    for (const guard of [requireApproved, requireAdmin, readsSession]) {
      expect(await callGuarded([guard], token)).toEqual([401, "unauthenticated"]);
    }
  });
});
