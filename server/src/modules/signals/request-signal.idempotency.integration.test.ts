import { DAY_MS, HOUR_MS } from "@shared/contract/constants.ts";
import type { UserRecord } from "@shared/database/models/user.ts";
import { multipartForm } from "@shared/testing/api-client.ts";
import { createUser, signTokenFor } from "@shared/testing/factories.ts";
import { chartImage } from "@shared/testing/images.ts";
import { runResult, startRun } from "@shared/testing/signal-factory.ts";
import { testDatabaseUri } from "@shared/testing/test-mongo.ts";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { z } from "zod";
import { finishRun } from "../../../../worker/src/signals/signal-lifecycle.ts";
import { startTestServer, type TestServer } from "../../testing/start-test-server.ts";

const NOON = Math.floor(Date.now() / DAY_MS) * DAY_MS + DAY_MS / 2;
const answerSchema = z.object({ signal_id: z.string().optional(), code: z.string().optional() });

describe("a known idempotency key", () => {
  const databaseUri = testDatabaseUri();
  const charts: Buffer[] = [];
  let clock = NOON;
  let server: TestServer;
  let otherServer: TestServer;
  let user: UserRecord;
  beforeAll(async () => {
    const start = () =>
      startTestServer({
        databaseUri,
        environment: { ANALYSES_PER_USER_PER_DAY: "2" },
        overrides: { now: () => new Date(clock) },
      });
    [server, otherServer] = await Promise.all([start(), start()]);
    for (const shift of [1, 2]) charts.push(await chartImage(shift).png().toBuffer());
  });
  afterAll(() => Promise.all([server.stop(), otherServer.stop()]));
  beforeEach(async () => {
    clock = NOON;
    await server.database.marketAnalyses.deleteMany({});
    user = await trader();
  });

  const trader = () =>
    createUser(server.database, { approved: true, allowImageUpload: true, imageCredits: 5 });
  const BITCOIN = { symbol: "BTC/USDT", timeframe: "1h", limit: 100 };

  const read = async (response: Promise<Response>) => {
    const { status, body } = await response.then(async (one) => ({
      status: one.status,
      body: answerSchema.parse(await one.json()),
    }));
    return { status, id: body.signal_id, code: body.code };
  };
  const send = (
    path: string,
    init: RequestInit & { json?: unknown; at?: TestServer; as?: UserRecord },
  ) => {
    const { at = server, as = user, ...rest } = init;
    const headers = { Prefer: "respond-async", "Idempotency-Key": "press-1" };
    return read(at.call(path, { headers, token: signTokenFor(as, at.deps.settings), ...rest }));
  };
  const ask = (request: object = BITCOIN, options: { at?: TestServer; as?: UserRecord } = {}) =>
    send("/get-signal", { json: request, ...options });
  const askWithImage = (chart = charts[0], fields: Record<string, string> = {}) => {
    const form = { symbol: "BTC/USDT", timeframe: "1h", ...fields, chart_image: chart ?? "" };
    return send("/get-signal-with-image", { method: "POST", body: multipartForm(form) });
  };
  const made = async () => ({
    signals: await server.database.signals.countDocuments({ userId: user._id }),
    analyses: await server.database.marketAnalyses.countDocuments(),
    jobs: await server.database.jobs.countDocuments({ "data.userId": user._id.toString() }),
    counted: (await server.database.users.findById(user._id).lean())?.analyses?.count,
  });
  const ONE = { signals: 1, analyses: 1, jobs: 1, counted: 1 };
  /** The user's newest signal ends. */
  const finish = async (status: "completed" | "failed") => {
    const { database } = server;
    const signal = await database.signals.findOne({ userId: user._id }).sort({ _id: -1 }).lean();
    const run = signal && (await startRun(database, signal));
    if (!run) throw new Error("there is no run");
    expect(await finishRun(database, run, runResult(status))).toBe(true);
  };

  it("starts no analysis for other requests, and refuses them", async () => {
    const first = await ask();
    expect(first.status).toBe(202);
    for (const limit of Array.from({ length: 30 }, (_, index) => 101 + index)) {
      expect(await ask({ ...BITCOIN, limit })).toMatchObject({
        status: 409,
        code: "idempotency-conflict",
      });
    }
    expect(await made()).toEqual(ONE);
    expect(await ask()).toEqual(first);
  });

  it.each([
    ["symbol", { ...BITCOIN, symbol: "ETH/USDT" }],
    ["timeframe", { ...BITCOIN, timeframe: "4h" }],
    ["amount", { ...BITCOIN, amount: 1_000 }],
    ["risk", { ...BITCOIN, risk_percent: 3 }],
    ["leverage", { ...BITCOIN, leverage: 3 }],
  ])("is refused for another %s", async (_, request) => {
    await ask();
    expect(await ask(request)).toMatchObject({ status: 409, code: "idempotency-conflict" });
    expect(await made()).toEqual(ONE);
  });

  it("gives the same signal for a request that is written differently", async () => {
    const first = await ask({ symbol: "BTC/USDT", timeframe: "1h" });
    const defaults = { limit: "nonsense", amount: "100", unknown: 1 };
    expect(await ask({ symbol: "btc/usdt", timeframe: "1h", ...defaults })).toEqual(first);
  });

  it.each(["waits", "completed", "failed"] as const)(
    "gives the same signal and starts no analysis at later candles, when the first one %s",
    async (state) => {
      const first = await ask();
      if (state !== "waits") await finish(state);
      const before = await made();
      for (const hours of [1, 2, 11, 23]) {
        clock = NOON + hours * HOUR_MS;
        expect((await ask()).id).toBe(first.id);
      }
      expect(await made()).toEqual(before);
    },
  );

  it("is one no more after 24 hours, or once its signal is deleted, and then counts", async () => {
    const first = await ask();
    // The session is in use.
    clock = NOON + DAY_MS / 2;
    expect(await ask()).toEqual(first);
    clock = NOON + DAY_MS;
    const second = await ask({ ...BITCOIN, limit: 200 });
    expect(second.status).toBe(202);
    expect(second.id).not.toBe(first.id);
    expect(await ask()).toMatchObject({ status: 409 });
    expect(await made()).toMatchObject({ signals: 2, counted: 1 });
    await server.database.signals.deleteMany({ userId: user._id });
    const third = await ask();
    expect(third.status).toBe(202);
    expect(await made()).toMatchObject({ counted: 2 });
  });

  it("starts one analysis for identical requests at once, on two servers", async () => {
    const servers = Array.from({ length: 20 }, (_, index) => [server, otherServer][index % 2]);
    const answers = await Promise.all(servers.map((at) => ask(BITCOIN, { ...(at && { at }) })));
    expect(answers).toEqual(answers.map(() => ({ ...answers[0], status: 202 })));
    expect(await made()).toEqual(ONE);
  });

  it("is good for one of different requests at once, on two servers", async () => {
    const requests = Array.from({ length: 20 }, (_, index) => {
      const at = [server, otherServer][index % 2];
      return ask({ ...BITCOIN, limit: 20 + index }, { ...(at && { at }) });
    });
    const statuses = (await Promise.all(requests)).map(({ status }) => status).sort();
    expect(statuses).toEqual([202, ...Array(19).fill(409)]);
    expect(await made()).toEqual(ONE);
  });

  it("is another one for another user", async () => {
    const first = await ask();
    const stranger = await trader();
    const other = await ask({ ...BITCOIN, limit: 200 }, { as: stranger });
    expect(other.status).toBe(202);
    expect(other.id).not.toBe(first.id);
  });

  it("is refused for another image, the same image with another request, and without an image", async () => {
    const first = await askWithImage();
    expect(first.status).toBe(202);
    expect(await askWithImage()).toEqual(first);
    const conflict = { status: 409, code: "idempotency-conflict" };
    expect(await askWithImage(charts[1])).toMatchObject(conflict);
    expect(await askWithImage(charts[0], { timeframe: "4h" })).toMatchObject(conflict);
    expect(await ask({ symbol: "BTC/USDT", timeframe: "1h" })).toMatchObject(conflict);
    expect(await made()).toEqual(ONE);
    const stored = await server.database.users.findById(user._id).lean();
    expect(stored?.imageCredits).toBe(4);
    expect(await server.database.chartImages.countDocuments({ userId: user._id })).toBe(1);
  });
});
