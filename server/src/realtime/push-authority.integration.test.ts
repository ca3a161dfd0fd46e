import { type Database, openDatabase } from "@shared/database/database.ts";
import type { UserRecord } from "@shared/database/models/user.ts";
import { commit } from "@shared/outbox/commit.ts";
import { ADMINS_STREAM, userStream } from "@shared/outbox/streams.ts";
import { createLogger } from "@shared/runtime/logger.ts";
import { loadSettings } from "@shared/runtime/settings.ts";
import { PUSH_WAIT, PushClient } from "@shared/testing/api-client.ts";
import { callApi } from "@shared/testing/call-api.ts";
import { createUser, signTokenFor, TEST_PASSWORD } from "@shared/testing/factories.ts";
import { testDatabaseUri } from "@shared/testing/test-mongo.ts";
import { Secret, TOTP } from "otpauth";
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from "vitest";
import { z } from "zod";
import { startServer } from "../start-server.ts";

const settings = {
  ...loadSettings({
    JWT_SECRET: "a test secret of more than 32 characters",
    ADMIN_PASSWORD: "correct horse",
  }),
  NODE_ENV: "production" as const,
  API_PORT: 0,
};
const STEP_MS = 30_000;
/** What the contract gives an open socket to notice a change. */
const NOTICE = { timeout: 2_000, interval: 20 };

describe("the socket of an administrator, in production", () => {
  let database: Database;
  let server: Awaited<ReturnType<typeof startServer>>;
  const clients: PushClient[] = [];

  beforeAll(async () => {
    database = await openDatabase({ uri: testDatabaseUri() });
    const logger = createLogger({ service: "server", level: "silent" });
    server = await startServer({ settings, database, logger });
  });
  afterEach(() => {
    for (const client of clients.splice(0)) client.close();
  });
  afterAll(async () => {
    await server.stop();
    await database.close();
  });

  const call = (user: UserRecord, route: string, body: unknown) => {
    const [method, path] = route.split(" ");
    const token = signTokenFor(user, settings);
    return callApi(`http://localhost:${server.port}${path}`, {
      ...(method && { method }),
      body,
      token,
    });
  };
  /** One of a step that has passed is refused if another step begins before it arrives. */
  const codeOf = (secret: string, stepsAhead: number) =>
    new TOTP({ secret: Secret.fromBase32(secret) }).generate({
      timestamp: Date.now() + stepsAhead * STEP_MS,
    });
  const turnOn = async (user: UserRecord): Promise<string> => {
    const started = await call(user, "POST /me/two-factor", {});
    const { secret } = z.object({ secret: z.string() }).parse(started.body);
    const confirmed = await call(user, "POST /me/two-factor/confirm", { code: codeOf(secret, 0) });
    expect(confirmed.status).toBe(200);
    return secret;
  };
  const turnOff = async (user: UserRecord, secret: string) => {
    const json = { password: TEST_PASSWORD, code: codeOf(secret, 1) };
    expect((await call(user, "DELETE /me/two-factor", json)).status).toBe(204);
  };
  const connect = async (user: UserRecord): Promise<PushClient> => {
    const url = `http://localhost:${server.port}`;
    const client = new PushClient({ url, token: signTokenFor(user, settings) });
    clients.push(client);
    await vi.waitFor(() => expect(client.socket.connected).toBe(true), PUSH_WAIT);
    return client;
  };
  const tellAdmins = () =>
    commit(database, { lockKeys: ADMINS_STREAM }, (uow) =>
      uow.addEvent(ADMINS_STREAM, "user:deleted", { username: "somebody" }),
    );
  /** Resolves when the socket has what was committed to the user's own stream before. */
  const hearOwn = async (user: UserRecord, client: PushClient) => {
    const before = client.seqs("user").length;
    await commit(database, { lockKeys: userStream(user._id) }, (uow) =>
      uow.addEvent(userStream(user._id), "history:cleared", {}),
    );
    await vi.waitFor(() => expect(client.seqs("user").length).toBe(before + 1), PUSH_WAIT);
  };
  /** Whether an event for administrators that is committed now reaches the socket. */
  const hearsAdmins = async (user: UserRecord, client: PushClient): Promise<boolean> => {
    const before = client.seqs("admins").length;
    await tellAdmins();
    await hearOwn(user, client);
    return client.seqs("admins").length > before;
  };

  it("brings no events for administrators soon after the second factor is off, and all again once it is on", async () => {
    const admin = await createUser(database, { role: "admin", approved: true });
    const secret = await turnOn(admin);
    const client = await connect(admin);
    await vi.waitFor(async () => expect(await hearsAdmins(admin, client)).toBe(true), PUSH_WAIT);

    await turnOff(admin, secret);
    await vi.waitFor(async () => expect(await hearsAdmins(admin, client)).toBe(false), NOTICE);
    expect(await hearsAdmins(admin, client)).toBe(false);
    expect(client.socket.connected).toBe(true);

    await turnOn(admin);
    await vi.waitFor(async () => expect(await hearsAdmins(admin, client)).toBe(true), PUSH_WAIT);
    const [first = 0] = client.seqs("admins");
    expect(client.seqs("admins")).toEqual(client.seqs("admins").map((_, index) => first + index));
  }, 40_000);

  it("brings no events for administrators soon after the role is gone, however that happened", async () => {
    const admin = await createUser(database, { role: "admin", approved: true });
    await turnOn(admin);
    const client = await connect(admin);
    await vi.waitFor(async () => expect(await hearsAdmins(admin, client)).toBe(true), PUSH_WAIT);
    await database.users.updateOne({ _id: admin._id }, { $set: { role: "user" } });
    await vi.waitFor(async () => expect(await hearsAdmins(admin, client)).toBe(false), NOTICE);
  }, 40_000);
});
