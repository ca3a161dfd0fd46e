import type { ChannelRecord } from "@shared/database/models/channel.ts";
import type { UserRecord } from "@shared/database/models/user.ts";
import { userStream } from "@shared/outbox/streams.ts";
import {
  createChannel,
  createDelivery,
  createUser,
  newSession,
  signTokenFor,
  TEST_PASSWORD,
} from "@shared/testing/factories.ts";
import { type FakeSmtp, startFakeSmtp } from "@shared/testing/fakes/fake-smtp.ts";
import { testDatabaseUri } from "@shared/testing/test-mongo.ts";
import { Secret, TOTP } from "otpauth";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { sessionOf } from "../../testing/session-of.ts";
import { startTestServer, type TestServer } from "../../testing/start-test-server.ts";
import { addChannel } from "../channels/add-channel.ts";
import { changeChannel } from "../channels/manage-channels.ts";

const NEW_PASSWORD = "a new password";
const WEBHOOK = { kind: "webhook", url: "https://attacker.example/hook" } as const;
const SUBSCRIPTION = {
  endpoint: "https://push.example/one",
  keys: {
    p256dh: Buffer.alloc(65).toString("base64url"),
    auth: Buffer.alloc(16).toString("base64url"),
  },
};

describe("an account that somebody else has used", () => {
  let smtp: FakeSmtp;
  let server: TestServer;
  beforeAll(async () => {
    smtp = await startFakeSmtp();
    server = await startTestServer({
      databaseUri: testDatabaseUri(),
      environment: {
        SMTP_URL: smtp.url,
        VAPID_SUBJECT: "mailto:push@example.com",
        TRUSTED_PROXIES: "1",
      },
      overrides: { resolveHost: () => Promise.resolve([{ address: "93.184.216.34", family: 4 }]) },
    });
  });
  afterAll(async () => {
    await server.stop();
    await smtp.close();
  });

  const call = async (route: string, options: { json?: object; token?: string } = {}) => {
    const [method = "", path = ""] = route.split(" ");
    const answer = await server.call(path, { method, ...options });
    return { status: answer.status, body: answer.status === 204 ? null : await answer.json() };
  };
  const mailsTo = async ({ email }: Pick<UserRecord, "email">) => {
    await server.deps.background.settled();
    return smtp.mailsTo(email);
  };
  const reset = async (user: Pick<UserRecord, "email">) => {
    await call("POST /forgot-password", { json: { email: user.email } });
    const token = (await mailsTo(user)).at(-1)?.token;
    const json = { token, new_password: NEW_PASSWORD };
    expect((await call("POST /reset-password", { json })).status).toBe(200);
  };
  const changePassword = async (token: string) => {
    const json = { current_password: TEST_PASSWORD, new_password: NEW_PASSWORD };
    expect((await call("POST /change-password", { json, token })).status).toBe(200);
  };
  const logIn = (user: Pick<UserRecord, "username">, address = "10.0.0.1") =>
    server.call("/login", {
      json: { username: user.username, password: NEW_PASSWORD },
      headers: { "X-Forwarded-For": address },
    });
  const stored = (user: UserRecord) => server.database.users.findById(user._id).lean();
  const channelsOf = ({ _id: userId }: UserRecord): Promise<ChannelRecord[]> =>
    server.database.channels.find({ userId }).sort({ createdAt: 1 }).lean();
  const turnOnSecondFactor = async (token: string) => {
    const { body } = await call("POST /me/two-factor", { json: {}, token });
    const code = new TOTP({ secret: Secret.fromBase32(body.secret) }).generate();
    expect((await call("POST /me/two-factor/confirm", { json: { code }, token })).status).toBe(200);
  };
  /** A Telegram channel whose link was not opened yet. */
  const telegramLink = (user: UserRecord) =>
    createChannel(server, user, {
      url: "",
      kind: "telegram",
      uniqueKey: "telegram",
      enabled: false,
      target: null,
      link: { codeHash: String(user._id), expiresAt: new Date(Date.now() + 600_000) },
    });

  describe("registered with a foreign address, after the owner has reset the password", () => {
    /** Everything that the attacker can set up. */
    const trap = async () => {
      const username = `trap-${smtp.mails.length}`;
      const json = {
        username,
        email: `${username}@victim.example`,
        password: "the attacker's own",
      };
      const registered = await server.call("/register", {
        json,
        headers: { "X-Forwarded-For": "10.6.6.6" },
      });
      const { token } = await registered.json();
      await turnOnSecondFactor(token);
      expect((await call("POST /channels", { json: WEBHOOK, token })).status).toBe(201);
      const push = { kind: "web-push", subscription: SUBSCRIPTION };
      expect((await call("POST /channels", { json: push, token })).status).toBe(201);
      const quiet = { start: "00:00", end: "23:59", time_zone: "UTC" };
      await call("PUT /me/quiet-hours", { json: { quiet_hours: quiet }, token });
      const user = await server.database.users.findOne({ username }).lean();
      if (!user) throw new Error("There is no account.");
      await telegramLink(user);
      return { user, token };
    };

    it("has no second factor, channel, link, session or network of the attacker", async () => {
      const { user, token } = await trap();
      await reset(user);
      expect((await call("GET /me", { token })).status).toBe(401);
      expect(await channelsOf(user)).toEqual([]);
      const after = await stored(user);
      expect(after).toMatchObject({ twoFactor: null, pendingTwoFactor: null, sessions: [] });
      expect(after).not.toHaveProperty("quietHours");
      expect(after?.networks).toHaveLength(1);
      expect((await logIn(user)).status).toBe(200);
      const texts = (await mailsTo(user)).map(({ text }) => text);
      expect(texts).toContainEqual(
        expect.stringContaining("its second factor and all of its channels were removed"),
      );
      const logged = await server.database.securityLog.find({ user: user.username }).lean();
      expect(logged.map(({ type }) => type)).toContain("two-factor:off");
    });

    it("lets the owner in where they have reset it, while others guess", async () => {
      const { user } = await trap();
      const json = { email: user.email };
      await call("POST /forgot-password", { json });
      const token = (await mailsTo(user)).at(-1)?.token;
      await server.call("/reset-password", {
        json: { token, new_password: NEW_PASSWORD },
        headers: { "X-Forwarded-For": "10.1.1.1" },
      });
      for (let guess = 0; guess < 15; guess++) {
        await server.call("/login", {
          json: { username: user.username, password: "wrong" },
          headers: { "X-Forwarded-For": `10.6.7.${guess}` },
        });
      }
      expect((await logIn(user, "10.6.6.6")).status).toBe(429);
      expect((await logIn(user, "10.1.1.1")).status).toBe(200);
    });

    it("gets no channel from a request that was on its way", async () => {
      const { user } = await trap();
      const before = await stored(user);
      const sessionId = user.sessions[0]?.id ?? "";
      await reset(user);
      const session = sessionOf(before ?? user, sessionId);
      const late = addChannel(server.deps, session, { ...WEBHOOK, min_confidence: 0 });
      await expect(late).rejects.toMatchObject({ code: "unauthenticated" });
      expect(await channelsOf(user)).toEqual([]);
    });
  });

  it("keeps its second factor and channels at a reset if its address was verified", async () => {
    const user = await createUser(server.database, { emailVerified: true });
    await turnOnSecondFactor(signTokenFor(user, server.deps.settings));
    await createChannel(server, user, WEBHOOK.url);
    await reset(user);
    expect((await stored(user))?.twoFactor).not.toBeNull();
    expect(await channelsOf(user)).toHaveLength(1);
    const login = await logIn(user);
    expect((await login.json()).code).toBe("two-factor-required");
  });

  const CHANGES: [string, (user: UserRecord, token: string) => Promise<void>][] = [
    ["changed", (_, token) => changePassword(token)],
    ["reset", (user) => reset(user)],
  ];

  describe.each(CHANGES)("whose password is %s", (_, change) => {
    /** The owner's session, and one that was stolen. */
    const scene = async () => {
      const sessions = [newSession(), newSession()];
      const user = await createUser(server.database, { emailVerified: true, sessions });
      const [token = "", stolen = ""] = sessions.map(({ id }) =>
        signTokenFor(user, server.deps.settings, { sessionId: id }),
      );
      return { user, token, stolen };
    };
    /** The token of a session after the change. */
    const tokenAfter = async (user: UserRecord): Promise<string> =>
      (await (await logIn(user)).json()).token;

    it("sends no more to channels other than email, until the owner turns them on again", async () => {
      const { user, token, stolen } = await scene();
      await call("POST /channels", { json: { kind: "email" }, token });
      await call("POST /channels", { json: WEBHOOK, token: stolen });
      await change(user, token);
      const after = await tokenAfter(user);
      const { channels } = (await call("GET /channels", { token: after })).body;
      expect(channels).toMatchObject([
        { kind: "email", enabled: true, disabled_reason: null },
        { kind: "webhook", enabled: false, disabled_reason: "password-changed" },
      ]);
      const events = await server.database.events.find({ stream: userStream(user._id) }).lean();
      expect(events).toMatchObject([
        {
          name: "channel:disabled",
          data: { channel_id: channels[1].id, kind: "webhook", reason: "password-changed" },
        },
      ]);
      const on = { json: { enabled: true }, token: after };
      const { body } = await call(`PATCH /channels/${channels[1].id}`, on);
      expect(body).toMatchObject({ enabled: true, disabled_reason: null });
    });

    it("sends nothing that waits, whether it was asked for or not", async () => {
      const { user, token } = await scene();
      const channel = await createChannel(server, user, WEBHOOK.url);
      const waiting = { status: "retrying", nextAttemptAt: new Date() } as const;
      for (const isRequested of [true, false]) {
        await createDelivery(server.database, channel, { ...waiting, isRequested });
      }
      await change(user, token);
      const left = await server.database.deliveries.find({ channelId: channel._id }).lean();
      expect(left.map(({ status }) => status)).toEqual(["suppressed", "suppressed"]);
    });

    it("connects no Telegram chat by a link that was made before", async () => {
      const { user, token } = await scene();
      await telegramLink(user);
      await change(user, token);
      expect(await channelsOf(user)).toEqual([]);
    });

    it("lets a request of a stolen session that was on its way add and turn on nothing", async () => {
      const { user, token } = await scene();
      const off = await createChannel(server, user, { ...WEBHOOK, enabled: false });
      const stolen = sessionOf(user, user.sessions[1]?.id);
      await change(user, token);
      const added = addChannel(server.deps, stolen, { ...WEBHOOK, min_confidence: 0 });
      await expect(added).rejects.toMatchObject({ code: "unauthenticated" });
      const turnedOn = changeChannel(server.deps, stolen, String(off._id), { enabled: true });
      await expect(turnedOn).rejects.toMatchObject({ code: "unauthenticated" });
      expect(await channelsOf(user)).toMatchObject([{ enabled: false }]);
    });
  });

  it("notifies its owner by email of each channel that is added", async () => {
    const user = await createUser(server.database, { emailVerified: true });
    const token = signTokenFor(user, server.deps.settings);
    await call("POST /channels", { json: WEBHOOK, token });
    const push = { kind: "web-push", subscription: SUBSCRIPTION, label: "Your bank" };
    await call("POST /channels", { json: push, token });
    await call("POST /channels", { json: { kind: "email" }, token });
    await call("POST /channels", { json: { kind: "email" }, token });
    const texts = (await mailsTo(user)).map(({ text }) => text);
    expect(texts).toEqual([
      expect.stringContaining("to a webhook. Its address is at attacker.example."),
      expect.stringContaining("to a browser."),
      expect.stringContaining("to your email address."),
    ]);
    expect(texts.join()).not.toContain("Your bank");
  });
});
