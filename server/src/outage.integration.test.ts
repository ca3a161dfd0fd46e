import { performance } from "node:perf_hooks";
import { setTimeout as delay } from "node:timers/promises";
import { createUser, signTokenFor, TEST_PASSWORD } from "@shared/testing/factories.ts";
import { startDatabaseRelay, type TcpRelay } from "@shared/testing/failing-database.ts";
import { testDatabaseUri } from "@shared/testing/test-mongo.ts";
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from "vitest";
import { startTestServer, type TestServer } from "./testing/start-test-server.ts";

const PROMISED_MS = 10_000;

describe("while the database is away", () => {
  let relay: TcpRelay;
  let server: TestServer;
  let token: string;
  beforeAll(async () => {
    const relayed = await startDatabaseRelay(testDatabaseUri());
    relay = relayed.relay;
    server = await startTestServer({ databaseUri: relayed.uri });
    const user = await createUser(server.database, { username: "ann" });
    token = signTokenFor(user, server.deps.settings);
  });
  afterEach(() => relay.thaw());
  afterAll(() => server.stop());

  const statusOf = async (path: string) => (await server.call(path)).status;
  const register = (username: string) =>
    server.call("/register", {
      json: { username, email: `${username}@example.com`, password: "secret-1" },
    });
  const login = () => server.call("/login", { json: { username: "ann", password: TEST_PASSWORD } });

  /** One of every kind of call: a read, a read behind a token, and changes that wait for each other. */
  const callAll = async (round: string) => {
    const calls = [
      login(),
      server.call("/me", { token }),
      server.call("/status"),
      register(`${round}-1`),
      register(`${round}-2`),
      register(`${round}-3`),
    ];
    const startedAt = performance.now();
    return Promise.all(
      calls.map(async (calling) => {
        const answer = await calling;
        return {
          status: answer.status,
          code: (await answer.json()).code,
          retryAfter: answer.headers.get("Retry-After"),
          inTime: performance.now() - startedAt < PROMISED_MS,
        };
      }),
    );
  };
  const unavailable = {
    status: 503,
    code: "unavailable",
    retryAfter: expect.stringMatching(/^[1-9]\d*$/),
    inTime: true,
  };
  const statuses = async (round: string) => (await callAll(round)).map(({ status }) => status);
  const allWell = [200, 200, 200, 201, 201, 201];

  it("answers 503 in time when it hangs, and recovers once it is back", async () => {
    expect(await statuses("before")).toEqual(allWell);
    relay.freeze();
    expect(await callAll("frozen")).toEqual(Array.from({ length: 6 }, () => unavailable));
    relay.thaw();
    expect(await statuses("thawed")).toEqual(allWell);
  });

  it("answers 503 in time when it is down, and recovers once it is back", async () => {
    expect(await statuses("again")).toEqual(allWell);
    await relay.cut();
    expect(await callAll("cut")).toEqual(Array.from({ length: 6 }, () => unavailable));
    await relay.restore();
    expect(await statuses("restored")).toEqual(allWell);
  });

  it("answers a request for a signal in time when it hangs in several steps of it", async () => {
    const approved = await createUser(server.database, { approved: true });
    const { analysisSetup } = server.database;
    const read = analysisSetup.findById.bind(analysisSetup);
    let startedAt = performance.now();
    // A read that is slow and succeeds, before a commit that finds the database frozen.
    vi.spyOn(analysisSetup, "findById").mockImplementationOnce((id) => {
      const query = read(id);
      const lean = query.lean.bind(query);
      return Object.assign(query, {
        lean: () => {
          const found = lean();
          const exec = async () => {
            const setup = await read(id).lean();
            await delay(startedAt + 5_000 - performance.now());
            relay.freeze();
            return setup;
          };
          return Object.assign(found, { exec });
        },
      });
    });
    startedAt = performance.now();
    const answer = await server.call("/get-signal", {
      token: signTokenFor(approved, server.deps.settings),
      json: { symbol: "BTC/USDT", timeframe: "1h" },
    });
    expect(performance.now() - startedAt).toBeLessThan(PROMISED_MS);
    expect(answer.status).toBe(503);
    expect(answer.headers.get("Retry-After")).toMatch(/^[1-9]\d*$/);
    vi.restoreAllMocks();
  });

  it("is running but not ready", async () => {
    expect(await statusOf("/readyz")).toBe(200);
    relay.freeze();
    const startedAt = performance.now();
    const answer = await server.call("/readyz");
    expect(performance.now() - startedAt).toBeLessThan(3_000);
    expect(answer.status).toBe(503);
    expect(await answer.json()).toMatchObject({ code: "unavailable" });
    const health = await server.call("/healthz");
    expect(await health.json()).toEqual({ status: "ok" });
    relay.thaw();
    await vi.waitFor(async () => expect(await statusOf("/readyz")).toBe(200), { timeout: 5_000 });
  });

  it("is not ready either while no events arrive", async () => {
    const deaf = await startTestServer({
      databaseUri: testDatabaseUri(),
      overrides: { feedIsRunning: () => false },
    });
    const { status } = await deaf.call("/readyz");
    await deaf.stop();
    expect(status).toBe(503);
  });
});
