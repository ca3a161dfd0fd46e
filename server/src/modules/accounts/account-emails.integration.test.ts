import type { UserRecord } from "@shared/database/models/user.ts";
import { createUser, signTokenFor, TEST_PASSWORD } from "@shared/testing/factories.ts";
import { type FakeSmtp, startFakeSmtp } from "@shared/testing/fakes/fake-smtp.ts";
import { testDatabaseUri } from "@shared/testing/test-mongo.ts";
import { Secret, TOTP } from "otpauth";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { startTestServer, type TestServer } from "../../testing/start-test-server.ts";

describe("the owner of an account gets an email", () => {
  let smtp: FakeSmtp;
  let server: TestServer;
  let user: UserRecord;
  beforeAll(async () => {
    smtp = await startFakeSmtp();
    server = await startTestServer({
      databaseUri: testDatabaseUri(),
      environment: { SMTP_URL: smtp.url },
    });
  });
  afterAll(async () => {
    await server.stop();
    await smtp.close();
  });
  beforeEach(async () => {
    user = await createUser(server.database);
  });

  const call = async (path: string, json: object, method = "POST") => {
    const token = signTokenFor(user, server.deps.settings);
    const answer = await server.call(path, { json, token, method });
    return answer.status === 204 ? {} : answer.json();
  };
  const logIn = (browser: string) =>
    server.call("/login", {
      json: { username: user.username, password: TEST_PASSWORD },
      headers: { "User-Agent": browser },
    });
  const mails = async () => {
    await server.deps.background.settled();
    return smtp.mailsTo(user.email).map(({ text }) => text);
  };

  it("about each sign-in from a new device, and none about a known one", async () => {
    await logIn("Firefox");
    await logIn("Firefox");
    expect(await mails()).toEqual([expect.stringContaining("a new device: Firefox")]);
    await logIn("Safari");
    expect(await mails()).toHaveLength(2);
  });

  it("once about a device whose user agent is very long", async () => {
    const browser = `Firefox ${"x".repeat(400)}`;
    await logIn(browser);
    await logIn(browser);
    expect(await mails()).toHaveLength(1);
  });

  it("about a changed password", async () => {
    await call("/change-password", {
      current_password: TEST_PASSWORD,
      new_password: "a new password",
    });
    expect(await mails()).toEqual([expect.stringContaining("Your password was changed.")]);
  });

  it("about a changed role", async () => {
    const admin = await createUser(server.database, { role: "admin" });
    for (const role of ["admin", "admin", "user"]) {
      await server.call(`/admin/set-role/${user.username}`, {
        json: { role, password: TEST_PASSWORD },
        token: signTokenFor(admin, server.deps.settings),
      });
    }
    expect(await mails()).toEqual([
      expect.stringContaining("You are now an administrator."),
      expect.stringContaining("You are no longer an administrator."),
    ]);
  });

  it("about the second factor, when it is turned on and off", async () => {
    const { secret } = await call("/me/two-factor", {});
    const codeIn = (steps: number) =>
      new TOTP({ secret: Secret.fromBase32(secret) }).generate({
        timestamp: Date.now() + steps * 30_000,
      });
    await call("/me/two-factor/confirm", { code: codeIn(0) });
    const credentials = { password: TEST_PASSWORD, code: codeIn(1) };
    await call("/me/two-factor", credentials, "DELETE");
    expect(await mails()).toEqual([
      expect.stringContaining("authentication was turned on."),
      expect.stringContaining("authentication was turned off."),
    ]);
  });
});
