import { randomBytes } from "node:crypto";
import { IncomingMessage, ServerResponse } from "node:http";
import { Socket } from "node:net";
import { createUser } from "@shared/testing/factories.ts";
import { testDatabaseUri } from "@shared/testing/test-mongo.ts";
import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished, vi } from "vitest";
import { createApp } from "../app.ts";
import { startTestServer, type TestServer } from "../testing/start-test-server.ts";
import { createApiKey } from "./api-keys.ts";

const PLACES = 5_000;
const WRONG_KEYS_PER_MINUTE = 600;

describe("invented API keys", () => {
  let server: TestServer;
  let call: (key: string, address?: string) => Promise<number>;
  beforeAll(async () => {
    const environment = { TRUSTED_PROXIES: "1" };
    server = await startTestServer({ databaseUri: testDatabaseUri(), environment });
  });
  afterAll(() => server.stop());
  beforeEach(() => {
    const handle = createApp(server.deps).callback();
    // Without a connection: thousands of them take longer than the calls.
    call = async (key, address = "192.0.2.1") => {
      const request = new IncomingMessage(new Socket());
      request.method = "GET";
      request.url = "/me";
      request.headers = { authorization: `Bearer ${key}`, "x-forwarded-for": address };
      const response = new ServerResponse(request);
      await handle(request, response);
      return response.statusCode;
    };
  });

  /** The key of a user whom the server does not know yet. */
  const createKey = async (): Promise<string> => {
    const user = await createUser(server.database, { approved: true });
    const { key, record } = createApiKey(user, { name: "Bot", scopes: ["read"] }, new Date());
    await server.database.users.updateOne({ _id: user._id }, { apiKeys: [record] });
    return key;
  };
  const invent = () => `ats_${randomBytes(44).toString("base64url").slice(0, 59)}`;
  const inventMany = (count: number) => Array.from({ length: count }, invent);

  it("take no place of real ones, known or not", async () => {
    const [known, unknown] = [await createKey(), await createKey()];
    // Between two calls the queue rests, here until the end of the test.
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    onTestFinished(() => void vi.useRealTimers());
    expect(await call(known)).toBe(200);
    const refused = inventMany(PLACES).map((key) => call(key));
    const real = Promise.all([call(known), call(unknown, "192.0.2.2")]);
    let isAnswered = false;
    void real.finally(() => {
      isAnswered = true;
    });
    while (!isAnswered) await vi.advanceTimersByTimeAsync(1);
    expect(await real).toEqual([200, 200]);
    expect(new Set(await Promise.all(refused))).toEqual(new Set([401, 429]));
  });

  it("of one address are not even looked for once they are too many", async () => {
    const known = await createKey();
    expect(await call(known)).toBe(200);
    const wrong = inventMany(WRONG_KEYS_PER_MINUTE);
    expect(new Set(await Promise.all(wrong.map((key) => call(key))))).toEqual(new Set([401]));
    expect(await call(invent())).toBe(429);
    expect(await call(wrong[0] ?? "")).toBe(401);
    expect(await call(known)).toBe(200);
    expect(await call(await createKey(), "192.0.2.2")).toBe(200);
  });
});
