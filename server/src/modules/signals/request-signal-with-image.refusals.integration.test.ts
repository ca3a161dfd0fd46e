import { errorBodySchema } from "@shared/contract/errors.ts";
import type { UserRecord } from "@shared/database/models/user.ts";
import { type FormValue, multipartForm } from "@shared/testing/api-client.ts";
import { createUser, signTokenFor } from "@shared/testing/factories.ts";
import { chartImage, pngBomb } from "@shared/testing/images.ts";
import { testDatabaseUri } from "@shared/testing/test-mongo.ts";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startTestServer, type TestServer } from "../../testing/start-test-server.ts";
import type { SignalDeps } from "./signal-waiters.ts";

const NO_CREDITS =
  "You don't have any image analysis credits. Please recharge your account to continue.";

describe("a request for a signal with a chart image", () => {
  const databaseUri = testDatabaseUri();
  const environment = { RATE_LIMIT: "off" };
  let server: TestServer;
  let otherServer: TestServer;
  let chart: Buffer;
  let waitedMs: number | undefined;

  beforeAll(async () => {
    const signalWaiters: SignalDeps["signalWaiters"] = {
      wait(_, { timeoutMs }) {
        waitedMs = timeoutMs;
        return Promise.resolve(null);
      },
    };
    server = await startTestServer({ databaseUri, environment, overrides: { signalWaiters } });
    otherServer = await startTestServer({ databaseUri, environment });
    chart = await chartImage(1).png().toBuffer();
  });
  afterAll(() => Promise.all([server.stop(), otherServer.stop()]));

  const trader = (overrides: Partial<UserRecord> = {}) =>
    createUser(server.database, {
      approved: true,
      allowImageUpload: true,
      imageCredits: 1,
      ...overrides,
    });
  const ask = (user: UserRecord, fields: Record<string, FormValue> = {}, to = server) =>
    to.call("/get-signal-with-image", {
      method: "POST",
      token: signTokenFor(user, server.deps.settings),
      body: multipartForm({ symbol: "BTC/USDT", timeframe: "1h", chart_image: chart, ...fields }),
    });
  const refusal = async (response: Response) => {
    const { code, detail } = errorBodySchema.parse(await response.json());
    return { status: response.status, code, detail };
  };
  /** All that a request may leave behind. */
  const tracesOf = async (user: UserRecord) => {
    const { database } = server;
    const userId = user._id;
    const ledger = await database.creditEntries.find({ userId }).lean();
    return {
      balance: (await database.users.findById(userId).lean())?.imageCredits,
      ledger: ledger.map((entry) => entry.amount),
      signals: await database.signals.countDocuments({ userId }),
      images: await database.chartImages.countDocuments({ userId }),
    };
  };
  const storedBytes = () =>
    server.database.connection.collection("chart_uploads.chunks").countDocuments();

  it("is one of 100 on one credit, sent to two servers at once: exactly one is accepted", async () => {
    const user = await trader();
    const bytesBefore = await storedBytes();
    const answers = await Promise.all(
      Array.from({ length: 100 }, (_, index) =>
        ask(user, {}, index % 2 === 0 ? server : otherServer),
      ),
    );
    const statuses = answers.map((answer) => answer.status).sort();
    expect(statuses).toEqual([...Array.from({ length: 99 }, () => 402), 504]);
    expect(await tracesOf(user)).toEqual({ balance: 0, ledger: [-1], signals: 1, images: 1 });
    expect(await storedBytes()).toBe(bytesBefore + 1);
  });

  it("is still answered after 120 s, and the signal goes on", async () => {
    const user = await trader();
    const response = await ask(user);
    expect(waitedMs).toBe(120_000);
    expect(await refusal(response)).toEqual({
      status: 504,
      code: "timeout",
      detail: "Server took too long to respond. Please try again.",
    });
    expect(response.headers.get("location")).toMatch(/^\/signals\/[0-9a-f]{24}$/);
    expect(await tracesOf(user)).toEqual({ balance: 0, ledger: [-1], signals: 1, images: 1 });
  });

  it.each([
    ["is not approved", { approved: false, allowImageUpload: false }, [403, "not-approved"]],
    ["has no leave", { allowImageUpload: false, imageCredits: 0 }, [403, "image-not-allowed"]],
  ])("is from a user who %s, whatever they send", async (_, overrides, [status, code]) => {
    const user = await trader(overrides);
    for (const symbol of ["BTC/USDT", "!"]) {
      expect(await refusal(await ask(user, { symbol }))).toMatchObject({ status, code });
      const withoutImage = await ask(user, { symbol, chart_image: [] });
      expect(await refusal(withoutImage)).toMatchObject({ status, code });
    }
    expect(await tracesOf(user)).toMatchObject({ ledger: [], signals: 0, images: 0 });
  });

  it("is from a user without credits: refused in the documented words, whatever else is in the form", async () => {
    const user = await trader({ imageCredits: 0 });
    const refused = { status: 402, code: "no-credits", detail: NO_CREDITS };
    const forms: Record<string, FormValue>[] = [
      {},
      { symbol: "!" },
      { chart_image: Buffer.from("plain text") },
    ];
    for (const fields of forms) expect(await refusal(await ask(user, fields))).toEqual(refused);
    expect(await tracesOf(user)).toMatchObject({ ledger: [], signals: 0, images: 0 });
  });

  it("is missing, which is said before that there are no credits", async () => {
    const user = await trader({ imageCredits: 0 });
    const refused = { status: 422, code: "invalid-input", detail: "Attach a chart image." };
    expect(await refusal(await ask(user, { chart_image: [] }))).toEqual(refused);
  });

  it.each([
    ["no image", { chart_image: [] }, { status: 422, field: "chart_image" }],
    ["a text as the image", { chart_image: "x.png" }, { status: 422, field: "chart_image" }],
    ["an image of another name", { chart_image: [], image: Buffer.alloc(9) }, { status: 422 }],
    ["two images", { chart_image: [Buffer.alloc(9), Buffer.alloc(9)] }, { status: 422 }],
    ["an unknown symbol", { symbol: "NOPE/NOPE" }, { status: 422, field: "symbol" }],
    ["a timeframe that is not offered", { timeframe: "7h" }, { status: 422, field: "timeframe" }],
    ["a leverage out of range", { leverage: "500" }, { status: 422, field: "leverage" }],
    ["a text file", { chart_image: Buffer.from("plain text") }, { status: 415 }],
    ["a bomb", { chart_image: pngBomb(20_000) }, { status: 413 }],
    ["a file of 6 MB", { chart_image: Buffer.alloc(6e6) }, { status: 413 }],
  ])("has %s: nothing is stored and nothing is paid", async (_, fields, expected) => {
    const user = await trader();
    const bytesBefore = await storedBytes();
    const response = await ask(user, fields);
    expect(response.status).toBe(expected.status);
    const { errors = [] } = errorBodySchema.parse(await response.json());
    if ("field" in expected) expect(errors.map((one) => one.field)).toContain(expected.field);
    expect(await tracesOf(user)).toEqual({ balance: 1, ledger: [], signals: 0, images: 0 });
    expect(await storedBytes()).toBe(bytesBefore);
  });
});
