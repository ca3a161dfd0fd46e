import type { UserRecord } from "@shared/database/models/user.ts";
import { createChannel, createUser, signTokenFor } from "@shared/testing/factories.ts";
import { type FakeTelegram, startFakeTelegram } from "@shared/testing/fakes/fake-telegram.ts";
import { testDatabaseUri } from "@shared/testing/test-mongo.ts";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { startTestServer, type TestServer } from "../../testing/start-test-server.ts";

const TOKEN = "123:telegram-secret";
const MARKET = { symbol: "BTC/USDT", timeframe: "1h" };
const SETTINGS = { enabled: true, chat_id: "-1001", markets: [MARKET], min_confidence: 60 };

describe("the paid Telegram channel", () => {
  let server: TestServer;
  let plain: TestServer;
  let telegram: FakeTelegram;
  let admin: UserRecord;
  let ann: UserRecord;
  beforeAll(async () => {
    telegram = await startFakeTelegram(TOKEN);
    const databaseUri = testDatabaseUri();
    const bot = { TELEGRAM_BOT_TOKEN: TOKEN, TELEGRAM_API_URL: telegram.url };
    const [rateLimits, environment] = [{ RATE_LIMIT: "off" }, { RATE_LIMIT: "off", ...bot }];
    server = await startTestServer({ databaseUri, environment });
    plain = await startTestServer({ databaseUri, environment: rateLimits });
    admin = await createUser(server.database, { role: "admin", approved: true });
  });
  beforeEach(async () => {
    ann = await createUser(server.database, { approved: true });
    await server.database.telegramChannel.deleteMany();
    telegram.refuse = () => null;
    telegram.channel.rights.can_invite_users = true;
  });
  afterAll(async () => {
    await Promise.all([server.stop(), plain.stop()]);
    await telegram.close();
  });

  const call = async (request: string, as: UserRecord, json?: object, at = server) => {
    const [method, path = ""] = request.split(" ");
    const token = signTokenFor(as, server.deps.settings);
    const response = await at.call(path, { method, token, ...(json && { json }) });
    return { status: response.status, body: await response.json() };
  };
  const put = (json: object) => call("PUT /admin/telegram-channel", admin, json);
  const join = (as = ann, at = server) => call("POST /me/telegram-channel", as, undefined, at);
  const link = () =>
    createChannel(server, ann, {
      url: "",
      kind: "telegram",
      target: server.channelSecrets.seal({ kind: "telegram", chatId: "77" }),
      chatHash: server.channelSecrets.hashChat("77"),
    });

  it("is off at first; what is set is kept, with what the bot may do", async () => {
    expect((await call("GET /admin/telegram-channel", admin)).body).toEqual({
      enabled: false,
      chat_id: "",
      markets: [],
      min_confidence: 0,
      state: "off",
      missing_rights: [],
      title: null,
      members: 0,
      waiting: 0,
      linked: expect.any(Number),
      direct_seconds: expect.any(Number),
    });
    const { status, body } = await put(SETTINGS);
    expect(status).toBe(200);
    expect(body).toMatchObject({ ...SETTINGS, state: "ready", title: "Signals" });
    expect((await put({ min_confidence: 10 })).body).toMatchObject({
      ...SETTINGS,
      min_confidence: 10,
    });
    expect((await call("GET /admin/telegram-channel", admin, undefined, plain)).body.state).toBe(
      "no-bot",
    );
    const entry = await server.database.securityLog.findOne({ type: "telegram-channel:changed" });
    expect(entry).toMatchObject({ actor: admin.username, details: { chat_id: "-1001" } });
  });

  it("says what the bot lacks", async () => {
    telegram.channel.rights.can_invite_users = false;
    expect((await put(SETTINGS)).body).toMatchObject({
      state: "missing-rights",
      missing_rights: ["can_invite_users"],
    });
    expect((await put({ chat_id: "-42" })).body.state).toBe("not-found");
    telegram.refuse = () => ({ status: 500 });
    expect((await put(SETTINGS)).body.state).toBe("unreachable");
  });

  it.each([
    [{ ...SETTINGS, chat_id: "signals" }, "chat_id"],
    [{ ...SETTINGS, chat_id: "" }, "chat_id"],
    [{ ...SETTINGS, min_confidence: 101 }, "min_confidence"],
    [{ ...SETTINGS, markets: [{ symbol: "BTC/USDT", timeframe: "1m" }] }, "markets"],
  ])("refuses %j", async (settings, field) => {
    const { status, body } = await put(settings);
    expect([status, body.errors?.[0]?.field]).toEqual([422, field]);
  });

  it("gives approved users with a linked Telegram a link that creates a request to join", async () => {
    await put(SETTINGS);
    expect(await join()).toMatchObject({ status: 422, body: { code: "channel-unavailable" } });
    await link();
    const { status, body } = await join();
    expect(status).toBe(201);
    expect(body.invite_link).toBe(telegram.channel.links.at(-1));
    expect(Date.parse(body.expires_at)).toBeGreaterThan(Date.now());
    const waiting = await createUser(server.database);
    expect(await join(waiting)).toMatchObject({ status: 403, body: { code: "not-approved" } });
    expect(await join(ann, plain)).toMatchObject({ status: 422 });
    await put({ enabled: false });
    expect(await join()).toMatchObject({ status: 422, body: { code: "channel-unavailable" } });
  });

  it("posts a test message", async () => {
    const test = () => call("POST /admin/telegram-channel/test", admin);
    expect((await test()).status).toBe(422);
    await put(SETTINGS);
    expect((await test()).status).toBe(200);
    expect(telegram.channel.posts.at(-1)?.text).toContain("Test message");
    telegram.refuse = () => ({ status: 400 });
    expect((await test()).status).toBe(422);
  });
});
