import { ADMIN_CHANNEL_EVENTS, DEFAULT_CHANNEL_EVENTS } from "@shared/contract/channels.ts";
import type { UserRecord } from "@shared/database/models/user.ts";
import { passedOnId } from "@shared/domain/passed-on.ts";
import { commit } from "@shared/outbox/commit.ts";
import { userStream } from "@shared/outbox/streams.ts";
import {
  createChannel,
  createDelivery,
  createUser,
  signTokenFor,
} from "@shared/testing/factories.ts";
import { type HttpFake, sendJson, startHttpFake } from "@shared/testing/fakes/fake-http.ts";
import { testDatabaseUri } from "@shared/testing/test-mongo.ts";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { startTestServer, type TestServer } from "../../testing/start-test-server.ts";

const NOW = new Date("2026-11-21T10:20:30Z");
const HOOK = { kind: "webhook", url: "https://hooks.example.com/signals?key=1" };
const DISCORD = {
  kind: "discord",
  url: "https://discord.com/api/webhooks/1234567890123456789/a-secret_token",
};
const PUSH = {
  kind: "web-push",
  subscription: {
    endpoint: "https://push.example.com/send/abc",
    expirationTime: null,
    keys: {
      p256dh: Buffer.alloc(65, 4).toString("base64url"),
      auth: Buffer.alloc(16, 1).toString("base64url"),
    },
  },
};

const on = (host: string, scheme = "https") => `${scheme}://${host}/api/webhooks/1/token`;

describe("channels", () => {
  let server: TestServer;
  let telegram: HttpFake;
  let now = NOW;
  let ann: UserRecord;
  beforeAll(async () => {
    telegram = await startHttpFake(async (request, response) => {
      expect(request.url).toBe("/bot1:token/getMe");
      sendJson(response, { ok: true, result: { id: 1, is_bot: true, username: "signals_bot" } });
    });
    server = await startTestServer({
      databaseUri: testDatabaseUri(),
      environment: {
        RATE_LIMIT: "off",
        TELEGRAM_BOT_TOKEN: "1:token",
        TELEGRAM_API_URL: telegram.url,
      },
      overrides: {
        now: () => now,
        resolveHost: (hostname) => {
          if (hostname.startsWith("unknown")) return Promise.reject(new Error("ENOTFOUND"));
          if (hostname.startsWith("silent")) return new Promise(() => undefined);
          const address = hostname.startsWith("private") ? "10.0.0.8" : "192.88.98.1";
          return Promise.resolve([{ address, family: 4 }]);
        },
      },
    });
  });
  beforeEach(async () => {
    now = NOW;
    ann = await createUser(server.database, { emailVerified: true });
  });
  afterAll(async () => {
    await server.stop();
    await telegram.close();
  });

  const call = async (request: string, json?: unknown, user = ann) => {
    const [method, path = ""] = request.split(" ");
    const token = signTokenFor(user, server.deps.settings);
    const response = await server.call(path, {
      method,
      token,
      ...(json !== undefined && { json }),
    });
    const text = await response.text();
    return { status: response.status, body: text === "" ? null : JSON.parse(text) };
  };
  const add = (json: object, user = ann) => call("POST /channels", json, user);
  const list = async () => (await call("GET /channels")).body.channels;
  const stored = (id: string) => server.database.channels.findById(id).lean();

  it("a webhook is added with a secret that is shown once and encrypted at rest", async () => {
    const { status, body } = await add({ ...HOOK, min_confidence: 60 });
    expect(status).toBe(201);
    const { secret, ...channel } = body;
    expect(secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
    expect(channel).toEqual({
      id: expect.any(String),
      kind: "webhook",
      label: "hooks.example.com",
      enabled: true,
      events: DEFAULT_CHANNEL_EVENTS,
      min_confidence: 60,
      created_at: NOW.toISOString(),
      last_delivery: null,
      disabled_reason: null,
      format: "standard",
    });
    expect(await list()).toEqual([channel]);
    const target = (await stored(channel.id))?.target ?? "";
    expect(server.channelSecrets.open(target)).toEqual({
      kind: "webhook",
      format: "standard",
      url: HOOK.url,
      secret,
    });
    expect(JSON.stringify(await stored(channel.id))).not.toContain("key=1");
  });

  it("a webhook of another format has no secret to sign with, and its owner reads and changes the template", async () => {
    const template = '{"code":"bridge-token","action":"{{side}}","price":{{entry}}}';
    const { status, body } = await add({ ...HOOK, format: "template", template });
    expect(status).toBe(201);
    expect(body).toMatchObject({ format: "template", template });
    expect(body).not.toHaveProperty("secret");
    expect(JSON.stringify(await stored(body.id))).not.toContain("bridge-token");
    expect((await call(`POST /channels/${body.id}/rotate-secret`)).status).toBe(404);
    const change = { template: '{"pair":{{symbol}}}' };
    const changed = await call(`PATCH /channels/${body.id}`, change);
    expect(changed.body).toMatchObject({ format: "template", ...change });
    const bot = { format: "3commas", bot_uuid: "b-1", bot_secret: "hidden" };
    const asBot = await call(`PATCH /channels/${body.id}`, bot);
    expect(asBot.body).toMatchObject({ format: "3commas", bot_uuid: "b-1" });
    expect(JSON.stringify(asBot.body)).not.toMatch(/hidden|pair/);
    const toStandard = await call(`PATCH /channels/${body.id}`, { format: "standard" });
    expect(toStandard.body.format).toBe("standard");
    expect((await call(`POST /channels/${body.id}/rotate-secret`)).status).toBe(200);
  });

  it.each([
    [{ format: "template" }, "template"],
    [{ format: "template", template: '{"a":{{symbol}}' }, "template"],
    [{ format: "template", template: '{"a":"{{amount}}"}' }, "template"],
    [{ format: "telegram" }, "format"],
  ])("a webhook with %j is refused", async (format, field) => {
    const { status, body } = await add({ ...HOOK, ...format });
    expect(status).toBe(422);
    expect(body).toMatchObject({ code: "invalid-input", errors: [{ field }] });
    const { body: channel } = await add(HOOK);
    const change = await call(`PATCH /channels/${channel.id}`, format);
    expect(change).toMatchObject({ status: 422, body: { errors: [{ field }] } });
  });

  it("only webhooks have a format", async () => {
    const { body: channel } = await add(DISCORD);
    const { status } = await call(`PATCH /channels/${channel.id}`, { format: "slack" });
    expect(status).toBe(422);
  });

  it.each([
    DISCORD.url,
    "https://discordapp.com/api/webhooks/1234567890123456789/a-secret_token",
    "https://ptb.discord.com/api/v10/webhooks/1234567890123456789/a-secret_token?wait=true#x",
  ])("a Discord webhook is added once, and its token is never shown: %s", async (url) => {
    const { status, body } = await add({ ...DISCORD, url });
    expect(status).toBe(201);
    expect(body).toMatchObject({ kind: "discord", label: "Discord …6789", enabled: true });
    const target = (await stored(body.id))?.target ?? "";
    const [kept] = url.split("?");
    expect(server.channelSecrets.open(target)).toEqual({ kind: "discord", url: kept });
    expect((await add(DISCORD)).body.code).toBe("already-exists");
    const shown = JSON.stringify([body, await list(), await stored(body.id)]);
    expect(shown).not.toContain("secret_token");
    expect((await add({ ...DISCORD, url: `${DISCORD.url}?thread_id=7` })).status).toBe(201);
  });

  it("administrators get the events of their stream by default, from now on", async () => {
    const admin = await createUser(server.database, { role: "admin" });
    const { body } = await add(HOOK, admin);
    expect(body.events).toEqual([...DEFAULT_CHANNEL_EVENTS, ...ADMIN_CHANNEL_EVENTS]);
    expect((await stored(body.id))?.afterAdminSeq).toEqual(expect.any(Number));
  });

  it.each([
    ["an unknown kind", { kind: "fax" }, "kind"],
    ["a webhook without a URL", { kind: "webhook" }, "url"],
    ["no URL at all", { ...HOOK, url: "hooks.example.com" }, "url"],
    ["plain http", { ...HOOK, url: "http://hooks.example.com" }, "url"],
    ["a password in the URL", { ...HOOK, url: "https://a:b@hooks.example.com" }, "url"],
    ["a name of a private address", { ...HOOK, url: "https://private.example.com" }, "url"],
    ["a private address", { ...HOOK, url: "https://[::ffff:10.0.0.1]/" }, "url"],
    ["a name of the local network", { ...HOOK, url: "https://intranet/" }, "url"],
    ["Discord without a URL", { kind: "discord" }, "url"],
    ["a webhook of another service", { ...DISCORD, url: HOOK.url }, "url"],
    ["a host that ends like Discord", { ...DISCORD, url: on("notdiscord.com") }, "url"],
    ["a host that starts like Discord", { ...DISCORD, url: on("discord.com.evil.example") }, "url"],
    ["another port of Discord", { ...DISCORD, url: on("discord.com:8443") }, "url"],
    ["Discord's address for Slack", { ...DISCORD, url: `${DISCORD.url}/slack` }, "url"],
    ["a Discord channel", { ...DISCORD, url: "https://discord.com/channels/1/2" }, "url"],
    ["a Discord address by http", { ...DISCORD, url: on("discord.com", "http") }, "url"],
    ["an unknown event", { ...HOOK, events: ["signal.queued"] }, "events.0"],
    ["an event of administrators", { ...HOOK, events: ["budget.reached"] }, "events"],
    ["a confidence above 100", { ...HOOK, min_confidence: 101 }, "min_confidence"],
    ["web push without a subscription", { kind: "web-push" }, "subscription"],
    [
      "a push endpoint that is private",
      { ...PUSH, subscription: { ...PUSH.subscription, endpoint: "https://private.example.com" } },
      "subscription.endpoint",
    ],
  ])("%s is refused", async (_, json, field) => {
    const { status, body } = await add(json);
    expect({ status, code: body.code }).toEqual({ status: 422, code: "invalid-input" });
    expect(body.errors[0].field).toBe(field);
    expect(await list()).toEqual([]);
  });

  it("names that are private, unknown or not resolved in time are refused alike, after the same time", async () => {
    const answers = await Promise.all(
      ["private", "unknown", "silent"].map(async (name) => {
        const startedMs = performance.now();
        const { status, body } = await add({ ...HOOK, url: `https://${name}.example.com/` });
        const { request_id: _, ...rest } = body;
        return { status, rest, ms: performance.now() - startedMs };
      }),
    );
    expect(answers.map(({ status, rest }) => ({ status, rest }))).toEqual(
      Array(3).fill({ status: 422, rest: answers[0]?.rest }),
    );
    const times = answers.map(({ ms }) => ms);
    expect(Math.max(...times) - Math.min(...times)).toBeLessThan(1_000);
  });

  it("an email channel needs a verified address, and there is one of it", async () => {
    const bob = await createUser(server.database);
    expect((await add({ kind: "email" }, bob)).body.code).toBe("email-not-verified");
    expect((await add({ kind: "email" })).body.label).toBe(ann.email);
    const { status, body } = await add({ kind: "email" });
    expect({ status, code: body.code }).toEqual({ status: 409, code: "already-exists" });
  });

  it("a Telegram channel is off until it is linked; a link that was not opened gives way", async () => {
    const { status, body } = await add({ kind: "telegram" });
    expect(status).toBe(201);
    expect(body).toMatchObject({ enabled: false, linked: false });
    expect(body.link).toMatch(/^https:\/\/t\.me\/signals_bot\?start=[\w-]{22}$/);
    const on = await call(`PATCH /channels/${body.id}`, { enabled: true });
    expect(on.body.code).toBe("channel-unavailable");
    expect((await call(`POST /channels/${body.id}/test`)).status).toBe(422);
    expect((await add({ kind: "telegram" })).body.code).toBe("already-exists");
    now = new Date(NOW.getTime() + 10 * 60_000);
    const again = await add({ kind: "telegram" });
    expect(again.status).toBe(201);
    expect((await list()).map(({ id }: { id: string }) => id)).toEqual([again.body.id]);
    // As after its chat was linked to another channel.
    await server.database.channels.updateOne({ _id: again.body.id }, { $unset: { link: 1 } });
    expect((await add({ kind: "telegram" })).status).toBe(201);
  });

  it("a browser is added once", async () => {
    expect((await add(PUSH)).status).toBe(201);
    expect((await add(PUSH)).body.code).toBe("already-exists");
    const key = await call("GET /push/public-key");
    expect(Buffer.from(key.body.public_key, "base64url")).toHaveLength(65);
  });

  it("there are at most 10, also of requests at the same time", async () => {
    const results = await Promise.all(Array.from({ length: 12 }, () => add(HOOK)));
    const refused = results.filter(({ status }) => status !== 201);
    expect(refused.map(({ body }) => body.code)).toEqual([
      "too-many-channels",
      "too-many-channels",
    ]);
    expect(await list()).toHaveLength(10);
  });

  it("kinds that are set up are listed", async () => {
    const { body } = await call("GET /channel-kinds");
    expect(body).toEqual({ kinds: ["email", "telegram", "web-push", "webhook", "discord"] });
  });

  it("kinds that are not set up are unavailable", async () => {
    const bare = await startTestServer({
      databaseUri: testDatabaseUri(),
      environment: {
        NODE_ENV: "production",
        MONGODB_URI: "mongodb://db.example.com/signals",
        SMTP_URL: "smtps://mail.example.com",
        ADMIN_PASSWORD: "a password of tests",
      },
    });
    const token = signTokenFor(await createUser(bare.database), bare.deps.settings);
    for (const json of [{ kind: "telegram" }, PUSH]) {
      const response = await bare.call("/channels", { token, json });
      expect([response.status, (await response.json()).code]).toEqual([422, "channel-unavailable"]);
    }
    expect((await bare.call("/push/public-key")).status).toBe(422);
    const kinds = await bare.call("/channel-kinds", { token });
    expect(await kinds.json()).toEqual({ kinds: ["email", "webhook", "discord"] });
    await bare.stop();
  });

  it("a channel is changed, and starts with the next event when it is turned on again", async () => {
    const { body: channel } = await add(HOOK);
    const waiting = await createDelivery(server.database, await storedChannel(channel.id), {
      status: "retrying",
      isRequested: false,
      nextAttemptAt: NOW,
    });
    const change = { enabled: false, events: ["signal.filled"], label: "Desk", min_confidence: 5 };
    const { body } = await call(`PATCH /channels/${channel.id}`, change);
    const { secret: _secret, ...unchanged } = channel;
    const last = { at: waiting.createdAt.toISOString(), status: "suppressed" };
    expect(body).toEqual({ ...unchanged, ...change, last_delivery: last });
    await commit(server.database, { lockKeys: ann.username }, (uow) => {
      uow.addEvent(userStream(ann._id), "history:cleared", {});
    });
    await call(`PATCH /channels/${channel.id}`, { enabled: true });
    expect(await stored(channel.id)).toMatchObject({ afterSeq: 1, enabled: true });
    const refused = await call(`PATCH /channels/${channel.id}`, { events: ["proof.submitted"] });
    expect(refused.status).toBe(422);
  });

  const storedChannel = async (id: string) => {
    const channel = await stored(id);
    if (!channel) throw new Error("There is no such channel.");
    return channel;
  };

  it("a test message is queued and listed, and makes the channel due", async () => {
    const channel = await createChannel(server, ann, HOOK.url);
    const { status, body } = await call(`POST /channels/${channel._id}/test`);
    expect(status).toBe(202);
    expect(body).toMatchObject({ event: "channel.test", status: "retrying", attempts: 0 });
    expect((await stored(String(channel._id)))?.dueAt).toEqual(NOW);
    const { deliveries } = (await call(`GET /channels/${channel._id}/deliveries`)).body;
    expect(deliveries).toEqual([body]);
  });

  it("a retry that would come late comes at once when its user sends a test", async () => {
    const channel = await createChannel(server, ann, HOOK.url);
    const wait = (ms: number) => ({
      status: "retrying" as const,
      nextAttemptAt: new Date(NOW.getTime() + ms),
    });
    const far = await createDelivery(server.database, channel, wait(60_001));
    const near = await createDelivery(server.database, channel, wait(60_000));
    await call(`POST /channels/${channel._id}/test`);
    const at = async ({ _id }: typeof far) =>
      (await server.database.deliveries.findById(_id).lean())?.nextAttemptAt;
    expect([await at(far), await at(near)]).toEqual([NOW, near.nextAttemptAt]);
  });

  it("deliveries come in pages of 50, newest first, and are deleted with the channel", async () => {
    const channel = await createChannel(server, ann, HOOK.url);
    for (let count = 0; count < 51; count += 1) await createDelivery(server.database, channel);
    const path = `GET /channels/${channel._id}/deliveries`;
    const first = (await call(path)).body;
    expect(first.deliveries).toHaveLength(50);
    const second = (await call(`${path}?cursor=${first.next_cursor}`)).body;
    expect(second).toMatchObject({ deliveries: [{ attempts: 1 }], next_cursor: null });
    expect((await call(`${path}?cursor=x`)).status).toBe(422);
    expect((await call(`DELETE /channels/${channel._id}`)).status).toBe(204);
    expect(await server.database.deliveries.countDocuments({ channelId: channel._id })).toBe(0);
    expect((await call(path)).status).toBe(404);
  });

  it("a message is sent again with the same id while its event is kept", async () => {
    const channel = await createChannel(server, ann, HOOK.url);
    const source = { stream: "user" as const, fromSeq: 1, seq: 1 };
    const failed = { type: "account.updated", status: "failed", attempts: 7, source } as const;
    const { _id } = await createDelivery(server.database, channel, failed);
    const resend = `POST /channels/${channel._id}/deliveries/${_id}/resend`;
    expect((await call(resend)).status).toBe(404);
    await commit(server.database, { lockKeys: ann.username }, (uow) => {
      uow.addEvent(userStream(ann._id), "history:cleared", {});
    });
    const { status, body } = await call(resend);
    expect(status).toBe(202);
    expect(body).toMatchObject({ id: String(_id), status: "retrying", attempts: 0 });
  });

  it("a secret is replaced, and the former one signs for another day", async () => {
    const { body: channel } = await add(HOOK);
    const { body } = await call(`POST /channels/${channel.id}/rotate-secret`);
    const until = NOW.getTime() + 86_400_000;
    expect(body.previous_until).toBe(new Date(until).toISOString());
    const target = server.channelSecrets.open((await storedChannel(channel.id)).target ?? "");
    expect(target).toMatchObject({
      secret: body.secret,
      previous: { secret: channel.secret, until },
    });
  });

  it("the link of an email turns its channel off without a login, and says so once", async () => {
    const { body: channel } = await add({ kind: "email" });
    const token = server.channelSecrets.unsubscribeToken(channel.id);
    const unsubscribe = () =>
      server.call(`/unsubscribe?token=${token}`, {
        method: "POST",
        body: new URLSearchParams({ "List-Unsubscribe": "One-Click" }),
      });
    expect((await unsubscribe()).status).toBe(200);
    expect((await unsubscribe()).status).toBe(200);
    expect(await list()).toMatchObject([{ enabled: false, disabled_reason: "unsubscribed" }]);
    const events = await server.database.events.find({ stream: userStream(ann._id) }).lean();
    expect(events).toMatchObject([
      {
        name: "channel:disabled",
        data: { channel_id: channel.id, kind: "email", reason: "unsubscribed" },
      },
    ]);
  });

  it("quiet hours are stored, and refused if they make no sense", async () => {
    const none = { quiet_hours: null };
    const night = { quiet_hours: { start: "22:00", end: "07:30", time_zone: "Europe/Berlin" } };
    expect((await call("GET /me/quiet-hours")).body).toEqual(none);
    expect((await call("PUT /me/quiet-hours", night)).body).toEqual(night);
    const stays = await createUser(server.database, { quietHours: undefined });
    expect((await call("GET /me/quiet-hours", undefined, stays)).body).toEqual(none);
    ann = (await server.database.users.findById(ann._id).lean()) ?? ann;
    expect((await call("GET /me/quiet-hours")).body).toEqual(night);
    for (const change of [{ start: "24:00" }, { end: "22:00" }, { time_zone: "Mars/Base" }]) {
      const wrong = { quiet_hours: { ...night.quiet_hours, ...change } };
      expect((await call("PUT /me/quiet-hours", wrong)).status).toBe(422);
    }
    expect((await call("PUT /me/quiet-hours", none)).body).toEqual(none);
  });

  it("a message that was passed on is listed at both channels with the name of the other", async () => {
    const from = await createChannel(server, ann, { url: HOOK.url, label: "Desk" });
    const to = await createChannel(server, ann, { url: HOOK.url, label: "Backup" });
    const source = { stream: "user" as const, fromSeq: 3, seq: 3 };
    await createDelivery(server.database, from, { status: "retrying", source });
    await createDelivery(server.database, from);
    await createDelivery(server.database, to, {
      _id: passedOnId(ann._id, source),
      passedOn: { fromChannelId: from._id, source },
    });
    const deliveriesOf = async ({ _id }: typeof from) =>
      (await call(`GET /channels/${_id}/deliveries`)).body.deliveries;
    const [other, passed] = await deliveriesOf(from);
    expect(passed).toMatchObject({ status: "retrying", passed_on_to: "Backup" });
    expect(other).not.toHaveProperty("passed_on_to");
    expect(await deliveriesOf(to)).toMatchObject([{ passed_on_from: "Desk" }]);
    await call(`DELETE /channels/${from._id}`);
    expect(await deliveriesOf(to)).toMatchObject([{ passed_on_from: "a deleted channel" }]);
  });

  it("passing on is off until its user turns it on, from then on, and part of the data download", async () => {
    const setting = "/me/delivery-settings";
    expect((await call(`GET ${setting}`)).body).toEqual({ pass_on: false });
    const reload = async () => {
      ann = (await server.database.users.findById(ann._id).lean()) ?? ann;
      return ann.passesOnSince;
    };
    expect((await call(`PUT ${setting}`, { pass_on: true })).body).toEqual({ pass_on: true });
    expect(await reload()).toEqual(NOW);
    now = new Date(NOW.getTime() + 1);
    await call(`PUT ${setting}`, { pass_on: true });
    expect(await reload()).toEqual(NOW);
    expect((await call(`GET ${setting}`)).body).toEqual({ pass_on: true });
    expect((await call("GET /me/data")).body.account).toMatchObject({ pass_on: true });
    expect((await call(`PUT ${setting}`, { pass_on: "yes" })).status).toBe(422);
    await call(`PUT ${setting}`, { pass_on: false });
    expect(await reload()).toBeUndefined();
  });

  it("problems of channels are listed until they are seen, and not again after another look", async () => {
    const problem = (ms: number) => ({
      problem: { reason: "not-delivered" as const, at: new Date(NOW.getTime() - ms) },
    });
    const desk = await createChannel(server, ann, { url: HOOK.url, label: "Desk", ...problem(2) });
    const phone = await createChannel(server, ann, {
      url: HOOK.url,
      label: "Phone",
      ...problem(1),
    });
    await createChannel(server, ann, HOOK.url);
    const unseen = async () => {
      ann = (await server.database.users.findById(ann._id).lean()) ?? ann;
      return (await call("GET /me/notifications")).body.channel_problems;
    };
    const at = (ms: number) => new Date(NOW.getTime() + ms).toISOString();
    expect(await unseen()).toEqual([
      { channel_id: String(phone._id), label: "Phone", reason: "not-delivered", at: at(-1) },
      { channel_id: String(desk._id), label: "Desk", reason: "not-delivered", at: at(-2) },
    ]);
    const mark = (until: string) => call("POST /me/channel-problems/seen", { until });
    expect((await mark(at(-2))).status).toBe(204);
    expect(await unseen()).toMatchObject([{ label: "Phone" }]);
    await mark(at(60_000));
    await mark(at(-2));
    expect(await unseen()).toBeUndefined();
    const stream = userStream(ann._id);
    const events = await server.database.events.find({ stream }).sort({ seq: 1 }).lean();
    expect(events).toMatchObject([
      { name: "channel-problems:seen", data: { until: at(-2) } },
      { name: "channel-problems:seen", data: { until: at(0) } },
    ]);
    expect((await list())[1].problem).toEqual({ reason: "not-delivered", at: at(-1) });
    await call(`PATCH /channels/${phone._id}`, { enabled: false });
    await call(`PATCH /channels/${phone._id}`, { enabled: true });
    expect((await list())[1]).not.toHaveProperty("problem");
    expect((await mark("yesterday")).status).toBe(422);
  });

  it("administrators see totals and failing receivers, and pause all deliveries", async () => {
    const admin = await createUser(server.database, { role: "admin" });
    await server.database.channels.deleteMany();
    await server.database.deliveries.deleteMany();
    const channel = await createChannel(server, ann, HOOK.url);
    await createDelivery(server.database, channel, { createdAt: NOW });
    await createDelivery(server.database, channel, {
      status: "retrying",
      attempts: 2,
      responseStatus: 500,
      error: "HTTP 500",
      createdAt: NOW,
    });
    const paused = await call("POST /admin/channels/pause", {}, admin);
    expect(paused.status).toBe(200);
    const { body } = await call("GET /admin/channels", undefined, admin);
    expect(body.paused).toBe(true);
    expect(body.totals).toContainEqual({
      kind: "webhook",
      channels: 1,
      enabled: 1,
      delivered: 1,
      retrying: 1,
      failed: 0,
      suppressed: 0,
    });
    expect(body.failing).toMatchObject([
      { channel_id: String(channel._id), username: ann.username, attempts: 2, error: "HTTP 500" },
    ]);
    await call("POST /admin/channels/resume", {}, admin);
    expect((await call("GET /admin/channels", undefined, admin)).body.paused).toBe(false);
  });

  it("are part of the data download without their secrets, and deleted with the account", async () => {
    const channel = await createChannel(server, ann, HOOK.url);
    await createDelivery(server.database, channel);
    const { body } = await call("GET /me/data");
    expect(body.channels).toMatchObject([{ id: String(channel._id), kind: "webhook" }]);
    expect(body.channels[0]).not.toHaveProperty("target");
    expect(body.deliveries).toMatchObject([{ channel_id: String(channel._id) }]);
    const admin = await createUser(server.database, { role: "admin" });
    await call(`POST /admin/delete-user/${ann.username}`, {}, admin);
    expect(await server.database.channels.countDocuments({ userId: ann._id })).toBe(0);
    expect(await server.database.deliveries.countDocuments({ userId: ann._id })).toBe(0);
  });
});
