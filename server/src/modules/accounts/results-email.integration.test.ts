import type { UserRecord } from "@shared/database/models/user.ts";
import { createUser, signTokenFor } from "@shared/testing/factories.ts";
import { testDatabaseUri } from "@shared/testing/test-mongo.ts";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { startTestServer, type TestServer } from "../../testing/start-test-server.ts";
import { setResultsEmail } from "./results-email.ts";

describe("the setting of the monthly email about results", () => {
  let server: TestServer;
  let user: UserRecord;
  beforeAll(async () => {
    server = await startTestServer({ databaseUri: testDatabaseUri() });
  });
  afterAll(() => server.stop());
  beforeEach(async () => {
    user = await createUser(server.database, { approved: true });
  });

  const call = async (method: "GET" | "PUT", json?: object) => {
    const token = signTokenFor(user, server.deps.settings);
    const answer = await server.call("/me/results-email", { method, token, ...(json && { json }) });
    return { status: answer.status, body: await answer.json() };
  };
  const OFF = { monthly: false, start_balance: 1_000, risk_percent: 1 };

  it("is off by default, and kept with its inputs", async () => {
    expect((await call("GET")).body).toEqual(OFF);
    expect((await call("PUT", { monthly: true })).body).toEqual({ ...OFF, monthly: true });
    const own = { monthly: true, start_balance: 2_500, risk_percent: 0.5 };
    expect((await call("PUT", own)).body).toEqual(own);
    expect((await call("GET")).body).toEqual(own);
    await call("PUT", { ...own, monthly: false });
    expect((await call("GET")).body).toEqual({ ...own, monthly: false });
  });

  it.each([
    {},
    { monthly: "yes" },
    { monthly: true, start_balance: 0 },
    { monthly: true, start_balance: "100" },
    { monthly: true, risk_percent: 0 },
    { monthly: true, risk_percent: 101 },
  ])("refuses %j", async (json) => {
    expect((await call("PUT", json)).status).toBe(422);
    expect((await call("GET")).body).toEqual(OFF);
  });

  it("starts with the month in which it is turned on, and misses none when its inputs change", async () => {
    const lastMonthAfter = async (time: string, monthly: boolean) => {
      const deps = { database: server.database, now: () => new Date(time) };
      await setResultsEmail(deps, user, { ...OFF, monthly });
      const stored = await server.database.users.findById(user._id).lean();
      return stored?.resultsEmail?.lastMonth;
    };
    expect(await lastMonthAfter("2026-10-15T00:00:00Z", true)).toBe("2026-09");
    expect(await lastMonthAfter("2026-11-02T00:00:00Z", true)).toBe("2026-09");
    expect(await lastMonthAfter("2026-11-02T00:01:00Z", false)).toBe("2026-09");
    expect(await lastMonthAfter("2026-11-02T00:02:00Z", true)).toBe("2026-10");
    expect(await lastMonthAfter("2026-11-02T00:03:00Z", false)).toBe("2026-10");
    // Another clock, or another time zone of the operator.
    expect(await lastMonthAfter("2026-10-31T00:00:00Z", true)).toBe("2026-10");
  });

  it("is turned off by the link of an email without a login, and nothing else of the user is", async () => {
    await call("PUT", { monthly: true });
    const token = server.channelSecrets.unsubscribeToken(user._id.toString());
    const turnOff = () => server.call(`/unsubscribe?token=${token}`, { method: "POST" });
    expect([(await turnOff()).status, (await turnOff()).status]).toEqual([200, 200]);
    expect((await call("GET")).body).toEqual(OFF);
    const { resultsEmail, ...rest } = (await server.database.users.findById(user._id).lean()) ?? {};
    expect(resultsEmail?.isOn).toBe(false);
    expect(rest).toMatchObject({ approved: true, username: user.username });
  });
});
