import { ADMINS_STREAM } from "@shared/outbox/streams.ts";
import { SettingsError } from "@shared/runtime/settings.ts";
import { createUser } from "@shared/testing/factories.ts";
import { testDatabaseUri } from "@shared/testing/test-mongo.ts";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { startTestServer, type TestServer } from "../../testing/start-test-server.ts";
import { ensureFirstAdmin } from "./register.ts";

const ONE_ADMIN = { users: 1, identities: 1, names: ["user:registered"], events: 1 };

describe("ensureFirstAdmin", () => {
  let databaseUri: string;
  let server: TestServer;
  beforeEach(async () => {
    databaseUri = testDatabaseUri();
    server = await startTestServer({ databaseUri });
  });
  afterEach(() => server.stop());

  const stored = async () => ({
    users: await server.database.users.countDocuments(),
    identities: await server.database.identities.countDocuments(),
    names: await server.database.events.distinct("name", { stream: ADMINS_STREAM, seq: 1 }),
    events: await server.database.events.countDocuments({ stream: { $exists: true } }),
  });

  it("makes the administrator of the settings, approved, who can log in", async () => {
    expect(await ensureFirstAdmin(server.deps)).toBe(true);
    const { ADMIN_USERNAME: username, ADMIN_PASSWORD: password } = server.deps.settings;
    const answer = await server.call("/login", { json: { username, password } });
    expect(await answer.json()).toMatchObject({ username: "admin", role: "admin", approved: true });
  });

  it("creates none if there is one, whatever its name", async () => {
    await createUser(server.database, { username: "chief", role: "admin" });
    expect(await ensureFirstAdmin(server.deps)).toBe(false);
    expect(await server.database.users.countDocuments()).toBe(1);
  });

  it("makes one when many ask at the same time", async () => {
    const made = await Promise.all(Array.from({ length: 5 }, () => ensureFirstAdmin(server.deps)));
    expect(made.filter(Boolean)).toHaveLength(1);
    expect(await stored()).toEqual(ONE_ADMIN);
  });

  it.each([
    ["the same administrator", "admin"],
    ["two different ones", "chief"],
  ])("makes one when two servers start together with %s in their settings", async (_, name) => {
    vi.resetModules();
    const otherServer = await import("../../testing/start-test-server.ts");
    const otherCommand = await import("./register.ts");
    const second = await otherServer.startTestServer({ databaseUri });
    second.deps.settings.ADMIN_USERNAME = name;
    second.deps.settings.ADMIN_EMAIL = `${name}@example.com`;
    const made = await Promise.all([
      ensureFirstAdmin(server.deps),
      otherCommand.ensureFirstAdmin(second.deps),
    ]);
    await second.stop();
    expect(made.filter(Boolean)).toHaveLength(1);
    expect(await stored()).toEqual(ONE_ADMIN);
  });

  it.each([
    ["ADMIN_USERNAME", { username: "Admin" }],
    ["ADMIN_EMAIL", { email: "Admin@example.com" }],
  ])("stops with a line that names %s when a user has it", async (setting, user) => {
    await createUser(server.database, user);
    const failure = await ensureFirstAdmin(server.deps).catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(SettingsError);
    expect(failure).toMatchObject({ message: expect.stringMatching(new RegExp(`^${setting}: `)) });
    expect(await server.database.users.countDocuments({ role: "admin" })).toBe(0);
  });
});
