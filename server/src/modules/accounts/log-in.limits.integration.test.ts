import { hash } from "@node-rs/argon2";
import type { UserRecord } from "@shared/database/models/user.ts";
import { createUser, TEST_PASSWORD } from "@shared/testing/factories.ts";
import { testDatabaseUri } from "@shared/testing/test-mongo.ts";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from "vitest";
import { startTestServer, type TestServer } from "../../testing/start-test-server.ts";
import { argon2id } from "./identity/builtin-identity.ts";

const environment = { TRUSTED_PROXIES: "1" };

describe("guesses of a password", () => {
  let server: TestServer;
  let user: UserRecord;
  let addresses = 0;
  beforeAll(async () => {
    server = await startTestServer({ databaseUri: testDatabaseUri(), environment });
  });
  afterEach(() => vi.useRealTimers());
  afterAll(() => server.stop());
  beforeEach(async () => {
    // A delay does not end while the test runs, however slow the machine is.
    vi.useFakeTimers({ toFake: ["Date"] });
    user = await createUser(server.database);
  });

  const newAddress = () => {
    addresses += 1;
    return `10.${addresses >> 16}.${(addresses >> 8) & 255}.${addresses & 255}`;
  };
  const logIn = (password: string, address: string, username = user.username) =>
    server.call("/login", {
      json: { username, password },
      headers: { "X-Forwarded-For": address },
    });

  it("from 200 addresses are stopped by a growing delay", { timeout: 60_000 }, async () => {
    const statuses = new Map<number, number>();
    const delays: number[] = [];
    for (let batch = 0; batch < 4; batch++) {
      const answers = await Promise.all(
        Array.from({ length: 50 }, () => logIn("a wrong guess", newAddress())),
      );
      for (const { status, headers } of answers) {
        statuses.set(status, (statuses.get(status) ?? 0) + 1);
        const delay = headers.get("Retry-After");
        if (status === 429) delays.push(Number(delay));
      }
    }
    expect(Object.fromEntries(statuses)).toEqual({ 401: 11, 429: 189 });
    expect(Math.max(...delays)).toBeGreaterThan(1);
  });

  it("do not lock the owner out of a network that they have used before", async () => {
    const home = newAddress();
    expect((await logIn(TEST_PASSWORD, home)).status).toBe(200);
    for (let guess = 0; guess < 15; guess++) await logIn("a wrong guess", newAddress());
    expect((await logIn(TEST_PASSWORD, newAddress())).status).toBe(429);
    expect((await logIn(TEST_PASSWORD, home)).status).toBe(200);
  });

  it("look the same for a name that does not exist", async () => {
    /** Guesses until one has to wait. */
    const statusesOf = async (username: string) => {
      const statuses = [];
      while (statuses.at(-1) !== 429) {
        statuses.push((await logIn("a wrong guess", newAddress(), username)).status);
      }
      return new Set(statuses);
    };
    const both = [await statusesOf("does-not-exist"), await statusesOf(user.username)];
    expect(both).toEqual([new Set([401, 429]), new Set([401, 429])]);
  });

  it("are forgotten after a sign-in", async () => {
    for (let round = 0; round < 3; round++) {
      for (let guess = 0; guess < 9; guess++) await logIn("a wrong guess", newAddress());
      expect((await logIn(TEST_PASSWORD, newAddress())).status).toBe(200);
    }
  });

  it("in a flood are refused in part, while other requests are answered", async () => {
    // Guesses of names that do not exist are compared with a hash, which takes long here.
    const slowly = { memoryCost: 19_456, timeCost: 40, parallelism: 1 };
    const hashing = { ...argon2id, hash: (password: string | Buffer) => hash(password, slowly) };
    const busy = await startTestServer({ databaseUri: testDatabaseUri(), environment, hashing });
    const flood = Array.from({ length: 60 }, (_, index) =>
      busy.call("/login", {
        json: { username: `unknown-${index}`, password: "a guess" },
        headers: { "X-Forwarded-For": newAddress() },
      }),
    );
    const health = await busy.call("/healthz");
    expect(health.status).toBe(200);
    const statuses = (await Promise.all(flood)).map(({ status }) => status);
    expect(new Set(statuses)).toEqual(new Set([401, 503]));
    await busy.stop();
  });
});
