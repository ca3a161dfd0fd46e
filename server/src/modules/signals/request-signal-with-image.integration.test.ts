import { chartImageListSchema } from "@shared/contract/files.ts";
import { signalAcceptedSchema, signalResponseSchema } from "@shared/contract/signal.ts";
import type { Database } from "@shared/database/database.ts";
import type { UserRecord } from "@shared/database/models/user.ts";
import { ADMINS_STREAM, userStream } from "@shared/outbox/streams.ts";
import { type FormValue, multipartForm, PushClient } from "@shared/testing/api-client.ts";
import { createUser, signTokenFor } from "@shared/testing/factories.ts";
import { chartImage } from "@shared/testing/images.ts";
import sharp from "sharp";
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from "vitest";
import { type LiveProduct, startLiveProduct } from "../../testing/start-live-server.ts";

const WAIT = { timeout: 15_000, interval: 50 };
describe("asking for a signal with a chart image", () => {
  let product: LiveProduct;
  let database: Database;
  let exchange: LiveProduct["exchange"];
  let openai: LiveProduct["openai"];
  let chart: Buffer;

  beforeAll(async () => {
    product = await startLiveProduct();
    ({ database, exchange, openai } = product);
    chart = await chartImage(1).png().toBuffer();
  });
  beforeEach(() => {
    exchange.reset();
    openai.reset();
  });
  afterAll(() => product.stop());

  const trader = (overrides: Partial<UserRecord> = {}) =>
    createUser(database, { approved: true, allowImageUpload: true, imageCredits: 1, ...overrides });
  const call = (user: UserRecord, path: string, init?: RequestInit) =>
    product.call(user, path, init);
  const ask = (
    user: UserRecord,
    fields: Record<string, FormValue> = {},
    headers: Record<string, string> = {},
  ) =>
    call(user, "/get-signal-with-image", {
      method: "POST",
      headers,
      body: multipartForm({ symbol: "BTC/USDT", timeframe: "1h", chart_image: chart, ...fields }),
    });
  const balanceOf = async (user: UserRecord) =>
    (await database.users.findById(user._id).lean())?.imageCredits;
  const ledgerOf = async (user: UserRecord) => {
    const entries = await database.creditEntries.find({ userId: user._id }).sort({ at: 1 }).lean();
    return entries.map((entry) => entry.amount);
  };
  const eventsOf = async (stream: string) => {
    const events = await database.events.find({ stream }).sort({ seq: 1 }).lean();
    return events.map((event) => event.name);
  };
  const storedBytes = () => database.connection.collection("chart_uploads.files").countDocuments();
  it("shows the picture to the AI, and costs one credit", async () => {
    const user = await trader({ imageCredits: 3 });
    const response = await ask(user, { leverage: "5" });
    expect(response.status).toBe(200);
    const signal = signalResponseSchema.parse(await response.json());
    expect(signal).toMatchObject({ status: "completed", analysis: { source: { data: "live" } } });
    expect(openai.chats.map((chat) => chat.images.length)).toEqual([1, 0]);
    const [url = ""] = openai.chats[0]?.images ?? [];
    expect(url.startsWith("data:image/png;base64,")).toBe(true);
    const seen = Buffer.from(url.slice(url.indexOf(",") + 1), "base64");
    const pixels = (picture: Buffer) => sharp(picture).removeAlpha().raw().toBuffer();
    expect((await pixels(seen)).equals(await pixels(chart))).toBe(true);
    const evidence = await call(user, `/signals/${signal.signal_id}/evidence`);
    expect(await evidence.json()).toMatchObject({
      chart_image: "Horizontal lines that the trader drew: none that could be read\nPatterns: none",
    });
    expect(await balanceOf(user)).toBe(2);
    expect(await ledgerOf(user)).toEqual([-1]);
    expect(await eventsOf(userStream(user._id))).toEqual([
      "signal:queued",
      "account:updated",
      "signal:started",
      "signal:completed",
    ]);
  });

  it("costs nothing when the data is too old to be analysed, and no AI is asked", async () => {
    const user = await trader({ imageCredits: 3 });
    exchange.behave("stale", { subject: "candles" });
    const response = await ask(user, { symbol: "LTC/USDT", timeframe: "30m" });
    expect(response.status).toBe(200);
    const { status, analysis } = signalResponseSchema.parse(await response.json());
    expect(status).toBe("completed");
    expect(analysis).toMatchObject({
      final_signal: "WAIT",
      confidence: 0,
      source: { data: "live", analyst: "none" },
    });
    expect(analysis?.warnings[0]).toMatch(/^The latest LTC\/USDT data is .* old: .*charged\.$/);
    expect(openai.chats).toEqual([]);
    expect(await balanceOf(user)).toBe(3);
    expect(await ledgerOf(user)).toEqual([-1, 1]);
    const events = await database.events
      .find({ stream: userStream(user._id), name: "account:updated" })
      .sort({ seq: 1 })
      .lean();
    expect(events.map(({ data }) => data)).toMatchObject([
      { reason: "credit-spent", image_credits: 2 },
      { reason: "credit-refunded", image_credits: 3 },
    ]);
    expect(await eventsOf(userStream(user._id))).toEqual([
      "signal:queued",
      "account:updated",
      "signal:started",
      "signal:completed",
      "account:updated",
    ]);
  });

  it("notifies the admins, who get an address that they can open", async () => {
    const admin = await createUser(database, { role: "admin" });
    const token = signTokenFor(admin, product.settings);
    const url = product.server.url;
    const [{ seq = 0 } = {}] = await database.events
      .find({ stream: ADMINS_STREAM })
      .sort({ seq: -1 })
      .limit(1)
      .lean();
    const push = new PushClient({ url, token, since: { admins: seq } });
    const user = await trader();
    await ask(user, {}, { prefer: "respond-async" });
    await vi.waitFor(() => expect(push.named("chart-image:added")).toHaveLength(1), WAIT);
    push.close();
    const [added] = push.named("chart-image:added");
    const list = chartImageListSchema.parse(
      await (await call(admin, "/admin/chart-images")).json(),
    );
    const [image] = list.images;
    expect(image).toMatchObject({ username: user.username, size: expect.any(Number) });
    expect(added?.data).toMatchObject({ filename: image?.filename, username: user.username });
    expect(push.named("user:updated").map((event) => event.data)).toEqual([
      expect.objectContaining({ username: user.username, image_credits: 0 }),
    ]);
    const delivered = chartImageListSchema.parse({ images: [added?.data] }).images[0]?.url ?? "";
    const { pathname, search } = new URL(delivered);
    expect((await fetch(`${url}${pathname}${search}`)).status).toBe(200);
    expect((await fetch(`${url}${pathname}`)).status).toBe(401);
    const logged = await database.events.findOne({ name: "chart-image:added", seq: added?.seq });
    expect(logged?.data).toMatchObject({ url: `/chart_uploads/${image?.filename}` });
  });

  it("is charged once for one idempotency key, however often it is asked", async () => {
    const user = await trader({ imageCredits: 5 });
    const bytesBefore = await storedBytes();
    const press = () => ask(user, {}, { "idempotency-key": "press-1", prefer: "respond-async" });
    const answers = await Promise.all(Array.from({ length: 12 }, press));
    const accepted = await Promise.all(
      answers.map(async (answer) => signalAcceptedSchema.parse(await answer.json()).signal_id),
    );
    expect(new Set(accepted).size).toBe(1);
    expect(await ledgerOf(user)).toEqual([-1]);
    expect(await storedBytes()).toBe(bytesBefore + 1);
  });

  it("gives the paid signal again for its key when no credit is left", async () => {
    const user = await trader();
    const first = await ask(user, {}, { "idempotency-key": "press-2" });
    const again = await ask(user, {}, { "idempotency-key": "press-2" });
    expect(again.status).toBe(200);
    expect(await again.json()).toEqual(await first.json());
    expect(await ledgerOf(user)).toEqual([-1]);
    expect((await ask(user, {}, { "idempotency-key": "press-3" })).status).toBe(402);
  });

  it.each([
    ["the AI", "ETH/USDT", () => openai.behave({ kind: "status", status: 500 })],
    // Of another symbol, so that its candles are not known yet.
    ["the exchange", "XRP/USDT", () => exchange.behave("down")],
  ])("gives the credit back once when %s is down", async (_, symbol, breakIt) => {
    const user = await trader();
    breakIt();
    const signal = signalResponseSchema.parse(await (await ask(user, { symbol })).json());
    expect(signal).toMatchObject({ status: "failed", analysis: { final_signal: "WAIT" } });
    expect(signal.analysis?.warnings).toContain("AI or data fetch failed");
    expect(await balanceOf(user)).toBe(1);
    expect(await ledgerOf(user)).toEqual([-1, 1]);
    const events = await database.events
      .find({ stream: userStream(user._id), name: "account:updated" })
      .sort({ seq: 1 })
      .lean();
    expect(events.map((event) => event.data)).toEqual([
      expect.objectContaining({ reason: "credit-spent", image_credits: 0 }),
      expect.objectContaining({ reason: "credit-refunded", image_credits: 1 }),
    ]);
  });

  it("keeps the credit when the advice is not accepted: that is an analysis, and it says WAIT", async () => {
    const user = await trader();
    openai.behave({
      kind: "advice",
      advice: { final_signal: "BUY", entry: 100, stop_loss: 200, take_profit: 50 },
    });
    const signal = signalResponseSchema.parse(await (await ask(user)).json());
    expect(signal).toMatchObject({ status: "completed", analysis: { final_signal: "WAIT" } });
    expect(openai.chats.map((chat) => chat.images.length)).toEqual([1, 0, 0]);
    expect(await ledgerOf(user)).toEqual([-1]);
  });

  it("gives the credit back when the image is deleted before it was looked at", async () => {
    const user = await trader();
    const pid = product.workers[0]?.pid ?? Number.NaN;
    process.kill(pid, "SIGSTOP");
    const accepted = signalAcceptedSchema.parse(
      await (await ask(user, {}, { prefer: "respond-async" })).json(),
    );
    const admin = await createUser(database, { role: "admin" });
    const image = await database.chartImages.findOne({ userId: user._id }).lean();
    const path = `/admin/delete-chart-image/${image?.filename}`;
    expect((await call(admin, path, { method: "DELETE" })).status).toBe(200);
    process.kill(pid, "SIGCONT");
    await vi.waitFor(async () => {
      const signal = await database.signals.findById(accepted.signal_id).lean();
      expect(signal?.status).toBe("failed");
    }, WAIT);
    expect(await ledgerOf(user)).toEqual([-1, 1]);
  });
});
