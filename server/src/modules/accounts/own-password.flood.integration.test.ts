import { hash } from "@node-rs/argon2";
import type { UserRecord } from "@shared/database/models/user.ts";
import {
  createUser,
  newSession,
  QUICK_HASH,
  signTokenFor,
  TEST_PASSWORD,
} from "@shared/testing/factories.ts";
import { testDatabaseUri } from "@shared/testing/test-mongo.ts";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { startTestServer, type TestServer } from "../../testing/start-test-server.ts";
import { argon2id } from "./identity/builtin-identity.ts";

const FLOOD = 36;

describe("a flood of calls with the right own password", () => {
  let server: TestServer;
  let unlimited: TestServer;
  let running = 0;
  let mostRunning = 0;
  /** As long as in the product, where it matters how many are hashed at once. */
  let takesLong = false;
  /** The usual queue, with a count of those that are in it. */
  const counted = async <Result>(work: () => Promise<Result>): Promise<Result> => {
    running += 1;
    mostRunning = Math.max(mostRunning, running);
    try {
      return await work();
    } finally {
      running -= 1;
    }
  };
  beforeAll(async () => {
    const hashing = {
      hash: (password: string | Buffer) =>
        counted(() => (takesLong ? argon2id.hash(password) : hash(password, QUICK_HASH))),
      verify: (stored: string, password: string) =>
        counted(() => argon2id.verify(stored, password)),
    };
    const databaseUri = testDatabaseUri();
    server = await startTestServer({ databaseUri, hashing });
    unlimited = await startTestServer({
      databaseUri,
      hashing,
      environment: { RATE_LIMIT: "off" },
    });
  });
  afterEach(() => Promise.all([server, unlimited].map(({ deps }) => deps.background.settled())));
  afterAll(() => Promise.all([server.stop(), unlimited.stop()]));

  const newUser = (role: "admin" | "user" = "user") =>
    createUser(server.database, {
      role,
      sessions: [newSession({ createdAt: new Date(Date.now() - 3_600_000) })],
    });
  const call = (on: TestServer, user: UserRecord, [path, json]: readonly [string, object]) =>
    on.call(path, { json, token: signTokenFor(user, on.deps.settings) });
  const sameAgain = [
    "/change-password",
    { current_password: TEST_PASSWORD, new_password: TEST_PASSWORD },
  ] as const;
  const logIn = ({ username }: UserRecord) =>
    server.call("/login", { json: { username, password: TEST_PASSWORD } });

  it("is refused by a limit of changes of an account, with a time to retry after, while others sign in", async () => {
    const [flooding, other] = await Promise.all([newUser(), newUser()]);
    const flood = Array.from({ length: FLOOD }, () => call(server, flooding, sameAgain));
    expect((await logIn(other)).status).toBe(200);
    const answers = await Promise.all(flood);
    const refused = answers.filter(({ status }) => status === 429);
    expect(refused).toHaveLength(FLOOD - 30);
    for (const answer of refused) {
      expect(await answer.json()).toMatchObject({ code: "rate-limited" });
      expect(Number(answer.headers.get("Retry-After"))).toBeGreaterThan(0);
      expect(Number(answer.headers.get("Retry-After"))).toBeLessThanOrEqual(600);
    }
    expect((await call(server, other, sameAgain)).status).toBe(200);
  });

  it("hashes one password of an account at a time, in all calls that ask for it", async () => {
    const admin = await newUser("admin");
    mostRunning = 0;
    takesLong = true;
    const password = TEST_PASSWORD;
    const calls = [
      sameAgain,
      ["/me/two-factor", { password }],
      ["/admin/update-payment-details", { usdt_trc20: "", password }],
    ] as const;
    for (const on of [server, unlimited]) {
      const flood = Array.from({ length: 4 }, () => calls.map((one) => call(on, admin, one)));
      await Promise.all(flood.flat());
    }
    expect(mostRunning).toBe(1);
  });
});
