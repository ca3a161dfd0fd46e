import type { UserRecord } from "@shared/database/models/user.ts";
import { multipartForm } from "@shared/testing/api-client.ts";
import { createUser, signTokenFor, TEST_PASSWORD } from "@shared/testing/factories.ts";
import { testDatabaseUri } from "@shared/testing/test-mongo.ts";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startTestServer, type TestServer } from "../testing/start-test-server.ts";

/** Two servers on one database, asked in turn. */
describe("the limits of the product", () => {
  let servers: [TestServer, TestServer];
  let turn = 0;
  beforeAll(async () => {
    const databaseUri = testDatabaseUri();
    servers = [await startTestServer({ databaseUri }), await startTestServer({ databaseUri })];
  });
  afterAll(() => Promise.all(servers.map((server) => server.stop())));

  const nextServer = (): TestServer => servers[turn++ % 2 === 0 ? 0 : 1];
  const newUser = (rights: Partial<UserRecord> = {}) => createUser(servers[0].database, rights);
  const tokenOf = (user: UserRecord) => signTokenFor(user, servers[0].deps.settings);
  const login = (username: string, password: string, headers: Record<string, string> = {}) =>
    nextServer().call("/login", { json: { username, password }, headers });

  /** How many of `times` calls, one after the other, have each status. */
  async function countStatuses(times: number, call: (index: number) => Promise<Response>) {
    const counts: Record<number, number> = {};
    for (let index = 0; index < times; index++) {
      const answer = await call(index);
      counts[answer.status] = (counts[answer.status] ?? 0) + 1;
      if (answer.status === 429) {
        expect(answer.headers.get("Retry-After")).toMatch(/^[1-9]\d*$/);
        expect(await answer.json()).toMatchObject({
          code: "rate-limited",
          detail: expect.stringMatching(/^Too many requests\. Please try again in \d+ (sec|min)/),
        });
      }
    }
    return counts;
  }

  /** Adds to the points that clients have used of a limit: the rest of a limit shows as well as all of it. */
  const use = (limit: string, points: number) =>
    servers[0].database.rateLimits.updateMany(
      { key: new RegExp(`^${limit}:`) },
      { $inc: { points } },
    );
  const remaining = ({ headers }: Response) => Number(headers.get("RateLimit-Remaining"));

  it("ten wrong passwords for one name in a minute, then not even the right one", async () => {
    const { username } = await newUser();
    expect(await countStatuses(12, () => login(username, "wrong"))).toEqual({ 401: 10, 429: 2 });
    expect((await login(username, TEST_PASSWORD)).status).toBe(429);
    expect((await login(` ${username.toUpperCase()} `, TEST_PASSWORD)).status).toBe(429);
    await Promise.all(servers.map(({ deps }) => deps.background.settled()));
    const logged = await servers[0].database.securityLog
      .find({ type: "limit:exceeded", user: username })
      .lean();
    // One of each server, however often it refuses.
    const entry = { actor: null, details: { route: "POST /login" } };
    expect(logged).toEqual([expect.objectContaining(entry), expect.objectContaining(entry)]);
  });

  it("an unknown name is limited as a known one", async () => {
    const counts = await countStatuses(12, () => login("unknown-user", "wrong"));
    expect(counts).toEqual({ 401: 10, 429: 2 });
  });

  it("no other user is locked out by that, nor a user with the right password", async () => {
    const { username } = await newUser();
    const counts = await countStatuses(15, () => login(username, TEST_PASSWORD));
    expect(counts).toEqual({ 200: 15 });
  });

  it("a header about where one comes from changes nothing", async () => {
    const { username } = await newUser();
    const counts = await countStatuses(12, (index) =>
      login(username, "wrong", {
        "X-Forwarded-For": `203.0.113.${index}`,
        Forwarded: `for=203.0.113.${index}`,
        "X-Real-IP": `203.0.113.${index}`,
      }),
    );
    expect(counts).toEqual({ 401: 10, 429: 2 });
  });

  it("behind a trusted proxy, visitors are identified by the proxy's header, not by their own", async () => {
    const behind = await startTestServer({
      databaseUri: testDatabaseUri(),
      environment: { TRUSTED_PROXIES: "1" },
    });
    const { username } = await createUser(behind.database, {});
    const from = (addresses: string) =>
      behind.call("/login", {
        json: { username, password: "wrong" },
        headers: { "X-Forwarded-For": addresses },
      });
    const statuses: number[] = [];
    for (let claim = 0; claim < 11; claim++) {
      statuses.push((await from(`198.51.100.${claim}, 203.0.113.1`)).status);
    }
    expect(statuses).toEqual([...Array.from({ length: 10 }, () => 401), 429]);
    expect((await from("203.0.113.2")).status).toBe(401);
    await behind.stop();
  });

  it("a hundred wrong passwords from one address in a minute, whatever the names", async () => {
    await servers[0].database.rateLimits.deleteMany({ key: /^login-address:/ });
    let guesses = 0;
    const guess = () => login(`guess-${guesses++}`, "wrong");
    expect(await countStatuses(6, guess)).toEqual({ 401: 6 });
    const used = await servers[0].database.rateLimits.find({ key: /^login-address:/ }).lean();
    expect(used).toMatchObject([{ points: 6 }]);
    await use("login-address", 90);
    expect(await countStatuses(6, guess)).toEqual({ 401: 4, 429: 2 });
    expect((await login((await newUser()).username, TEST_PASSWORD)).status).toBe(429);
  });

  it("a hundred registrations from one address in an hour; what was no account does not count", async () => {
    const register = (username: string) =>
      nextServer().call("/register", {
        json: { username, email: `${username}@example.com`, password: "secret-1" },
      });
    expect(await countStatuses(6, () => register("!"))).toEqual({ 422: 6 });
    const first = [await register("new-1"), await register("new-2"), await register("new-3")];
    expect(first.map(remaining)).toEqual([99, 98, 97]);
    await use("register", 94);
    expect(await countStatuses(5, (index) => register(`last-${index}`))).toEqual({
      201: 3,
      429: 2,
    });
  });

  it("five reset mails to one address in an hour, whether it is known or not", async () => {
    for (const email of [(await newUser()).email, "unknown@example.com"]) {
      const counts = await countStatuses(7, () =>
        nextServer().call("/forgot-password", { json: { email } }),
      );
      expect(counts).toEqual({ 200: 5, 429: 2 });
    }
  });

  it("five reset mails to one address, however its domain is written", async () => {
    const { email } = await newUser();
    const written = ["example.com", "EXAMPLE.com", "ｅxample.com", "exａmple.com", "example。com"];
    const counts = await countStatuses(10, (index) => {
      const domain = written[index % written.length] ?? "";
      const json = { email: email.replace("example.com", domain) };
      return nextServer().call("/forgot-password", { json });
    });
    expect(counts).toEqual({ 200: 5, 429: 5 });
  });

  it("five verification mails to one user in an hour", async () => {
    const token = tokenOf(await newUser());
    const resend = () => nextServer().call("/resend-verification", { method: "POST", token });
    expect(await countStatuses(7, resend)).toEqual({ 200: 5, 429: 2 });
  });

  it("sixty mail tokens that are none, from one address in a minute", async () => {
    const verify = (index: number) =>
      nextServer().call("/verify-email", { json: { token: `guess-${index}` } });
    expect(await countStatuses(4, verify)).toEqual({ 422: 4 });
    await use("mail-token", 54);
    expect(await countStatuses(4, verify)).toEqual({ 422: 2, 429: 2 });
  });

  it("ten payment proofs of one user in an hour", async () => {
    const one = tokenOf(await newUser());
    const other = tokenOf(await newUser());
    const submit = (token: string) => {
      const body = multipartForm({ sender_name: "Ann", proof_image: Buffer.from("no image") });
      return nextServer().call("/submit-payment-proof", { method: "POST", token, body });
    };
    expect(await countStatuses(12, () => submit(one))).toEqual({ 415: 10, 429: 2 });
    expect((await submit(other)).status).toBe(415);
  });

  it("sixty signals of one user in a minute, with and without an image", async () => {
    const token = tokenOf(
      await newUser({ approved: true, allowImageUpload: true, imageCredits: 100 }),
    );
    const fields = { symbol: "BTC/USDT", timeframe: "1h" };
    const headers = { Prefer: "respond-async" };
    const request = () => nextServer().call("/get-signal", { token, json: fields, headers });
    expect([remaining(await request()), remaining(await request())]).toEqual([59, 58]);
    await use("signal", 56);
    expect(await countStatuses(3, request)).toEqual({ 202: 2, 429: 1 });
    const body = multipartForm({ ...fields, chart_image: Buffer.from("no image") });
    const withImage = await nextServer().call("/get-signal-with-image", {
      method: "POST",
      token,
      body,
    });
    expect(withImage.status).toBe(429);
    const me = await (await nextServer().call("/me", { token })).json();
    expect(me.image_credits).toBe(100);
  });
});
