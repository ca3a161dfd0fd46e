import { signalRequestSchema } from "@shared/contract/signal.ts";
import { JOBS_COLLECTION } from "@shared/database/models/job.ts";
import { createUser } from "@shared/testing/factories.ts";
import { testDatabaseUri } from "@shared/testing/test-mongo.ts";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startTestServer, type TestServer } from "../../testing/start-test-server.ts";
import { requestSignal } from "./request-signal.ts";
import { MAX_UNFINISHED_PER_USER } from "./signal-limits.ts";

const parse = (limit: number) =>
  signalRequestSchema.parse({ symbol: "BTC/USDT", timeframe: "1h", limit });

/** The first is under way when the others come, so these are committed in one transaction. */
describe("requests of one user that are committed together", () => {
  let server: TestServer;
  beforeAll(async () => {
    server = await startTestServer({ databaseUri: testDatabaseUri() });
  });
  afterAll(() => server.stop());

  let asked = 0;
  const askAll = async (keys: (string | undefined)[]) => {
    const user = await createUser(server.database, { approved: true });
    // Each for an analysis of its own, but for those with the same key.
    const limits = new Map<string, number>();
    const ask = (idempotencyKey: string | undefined) => {
      const limit = limits.get(idempotencyKey ?? "") ?? 10 + asked++;
      if (idempotencyKey) limits.set(idempotencyKey, limit);
      const key = idempotencyKey && { idempotencyKey };
      return requestSignal(server.deps, { user, request: parse(limit), ...key });
    };
    const answers = await Promise.allSettled(keys.map(ask));
    const userId = user._id;
    return { answers, stored: await server.database.signals.countDocuments({ userId }), userId };
  };

  it("make one signal for one idempotency key", async () => {
    const { answers, stored } = await askAll([undefined, "same", "same", "other", "same"]);
    const ids = answers.map((one) => one.status === "fulfilled" && String(one.value._id));
    expect(ids[2]).toBe(ids[1]);
    expect(ids[4]).toBe(ids[1]);
    expect(new Set(ids).size).toBe(3);
    expect(stored).toBe(3);
  });

  it("take no more places than there are", async () => {
    const one = undefined;
    const { answers, stored } = await askAll(Array(MAX_UNFINISHED_PER_USER + 5).fill(one));
    expect(answers.filter(({ status }) => status === "rejected")).toHaveLength(5);
    expect(stored).toBe(MAX_UNFINISHED_PER_USER);
  });

  it("queue one behind the other", async () => {
    const { userId } = await askAll([undefined, undefined, undefined, undefined]);
    const jobs = await server.database.connection
      .collection(JOBS_COLLECTION)
      .find({ "data.userId": String(userId) })
      .toArray();
    const seconds = jobs.map(({ priority }) => -Number(priority)).sort();
    const minutes = seconds.map((second) => Math.round((second - (seconds[0] ?? 0)) / 60));
    expect(minutes).toEqual([0, 1, 2, 3]);
  });
});
