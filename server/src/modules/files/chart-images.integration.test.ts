import { chartImageListSchema, cleanupResultSchema } from "@shared/contract/files.ts";
import type { ChartImageRecord } from "@shared/database/models/stored-file.ts";
import type { UserRecord } from "@shared/database/models/user.ts";
import { commit } from "@shared/outbox/commit.ts";
import { ADMINS_STREAM } from "@shared/outbox/streams.ts";
import { multipartForm } from "@shared/testing/api-client.ts";
import { createUser, signTokenFor } from "@shared/testing/factories.ts";
import { chartImage } from "@shared/testing/images.ts";
import { testDatabaseUri } from "@shared/testing/test-mongo.ts";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { startTestServer, type TestServer } from "../../testing/start-test-server.ts";
import { removeUserFiles } from "./stored-files.ts";

const DAY_MS = 86_400_000;

describe("the admins' gallery of chart images", () => {
  let server: TestServer;
  let admin: UserRecord;
  let trader: UserRecord;
  let now = new Date();

  beforeAll(async () => {
    server = await startTestServer({
      databaseUri: testDatabaseUri(),
      environment: { RATE_LIMIT: "off" },
      overrides: { now: () => now },
    });
    admin = await createUser(server.database, { role: "admin" });
  });
  beforeEach(async () => {
    const imageCredits = 100;
    const rights = { approved: true, allowImageUpload: true, imageCredits };
    trader = await createUser(server.database, rights);
    now = new Date();
  });
  afterAll(() => server.stop());

  const call = (as: UserRecord, path: string, method = "GET") =>
    server.call(path, { method, token: signTokenFor(as, server.deps.settings) });
  const upload = async (seed: number) => {
    const response = await server.call("/get-signal-with-image", {
      method: "POST",
      token: signTokenFor(trader, server.deps.settings),
      headers: { prefer: "respond-async" },
      body: multipartForm({
        symbol: "BTC/USDT",
        timeframe: "1h",
        chart_image: await chartImage(seed).png().toBuffer(),
      }),
    });
    expect(response.status).toBe(202);
    const image = await server.database.chartImages.findOne().sort({ _id: -1 }).lean();
    if (!image) throw new Error("no image was stored");
    return image;
  };
  const gallery = async () => {
    const response = await call(admin, "/admin/chart-images");
    return chartImageListSchema.parse(await response.json()).images;
  };
  const names = async () => (await gallery()).map((image) => image.filename);
  const bytesOf = (image: Pick<ChartImageRecord, "_id">) =>
    server.database.connection
      .collection("chart_uploads.chunks")
      .countDocuments({ files_id: image._id });
  const deletedEvents = async () => {
    const events = await server.database.events.find({ name: "chart-image:deleted" }).lean();
    return events.map(({ stream, data, actor }) => ({ stream, data, actor }));
  };

  it("lists all images, newest first, with addresses that can be opened", async () => {
    const first = await upload(1);
    now = new Date(now.getTime() + 1_000);
    const second = await upload(2);
    const images = await gallery();
    expect(images.slice(0, 2)).toEqual(
      [second, first].map((image) => ({
        filename: image.filename,
        size: image.size,
        modified: image.createdAt.toISOString(),
        url: expect.stringContaining(`/chart_uploads/${image.filename}?`),
        username: trader.username,
      })),
    );
    const { pathname, search } = new URL(images[0]?.url ?? "");
    const response = await server.call(pathname + search);
    expect((await response.arrayBuffer()).byteLength).toBe(second.size);
  });

  it("deletes one image with its bytes, and tells the admins", async () => {
    const image = await upload(1);
    const path = `/admin/delete-chart-image/${image.filename}`;
    const response = await call(admin, path, "DELETE");
    expect(response.status).toBe(200);
    expect(await response.json()).toHaveProperty("detail");
    expect(await names()).not.toContain(image.filename);
    expect(await bytesOf(image)).toBe(0);
    expect(await deletedEvents()).toContainEqual({
      stream: ADMINS_STREAM,
      actor: admin.username,
      data: expect.objectContaining({ filename: image.filename, username: trader.username }),
    });
    expect((await call(admin, path, "DELETE")).status).toBe(404);
    expect((await call(trader, `/chart_uploads/${image.filename}`)).status).toBe(404);
    expect(await server.database.signals.countDocuments({ _id: image.signalId })).toBe(1);
  });

  it("cleans up what is older than 30 days or belongs to no signal, and nothing else", async () => {
    const old = await upload(1);
    const orphan = await upload(2);
    const kept = await upload(3);
    const age = (image: ChartImageRecord, days: number) =>
      server.database.chartImages.updateOne(
        { _id: image._id },
        { $set: { createdAt: new Date(now.getTime() - days * DAY_MS) } },
      );
    await age(old, 30.1);
    await age(kept, 29.9);
    await server.database.signals.deleteOne({ _id: orphan.signalId });
    const response = await call(admin, "/admin/cleanup-images", "POST");
    expect(response.status).toBe(200);
    const result = cleanupResultSchema.parse(await response.json());
    expect(result).toEqual({ detail: "2 chart images deleted.", deleted: 2 });
    const left = await names();
    expect(left).toContain(kept.filename);
    expect(left).not.toContain(old.filename);
    expect(left).not.toContain(orphan.filename);
    expect(await Promise.all([old, orphan, kept].map(bytesOf))).toEqual([0, 0, 1]);
    const again = await call(admin, "/admin/cleanup-images", "POST");
    expect(await again.json()).toMatchObject({ deleted: 0 });
  });

  it("cleans up any number of images, and tells of each", async () => {
    await Promise.all(Array.from({ length: 45 }, (_, seed) => upload(seed)));
    const before = (await deletedEvents()).length;
    await server.database.signals.deleteMany({ userId: trader._id });
    const response = await call(admin, "/admin/cleanup-images", "POST");
    expect(await response.json()).toMatchObject({ deleted: 45 });
    expect((await deletedEvents()).length).toBe(before + 45);
    expect(await server.database.chartImages.countDocuments({ userId: trader._id })).toBe(0);
  });

  it("loses all files of a user who goes, with their bytes", async () => {
    const images = [await upload(1), await upload(2)];
    const body = multipartForm({
      sender_name: "Ann",
      proof_image: await chartImage(1).png().toBuffer(),
    });
    const token = signTokenFor(trader, server.deps.settings);
    await server.call("/submit-payment-proof", { method: "POST", token, body });
    await commit(server.database, { lockKeys: ADMINS_STREAM }, (uow) =>
      removeUserFiles(server.database, uow, trader._id),
    );
    const userId = trader._id;
    expect(await server.database.chartImages.countDocuments({ userId })).toBe(0);
    expect(await server.database.paymentProofs.countDocuments({ userId })).toBe(0);
    expect(await Promise.all(images.map(bytesOf))).toEqual([0, 0]);
    const proofBytes = server.database.connection.collection("payment_proofs.chunks");
    expect(await proofBytes.countDocuments()).toBe(0);
  });

  it.each([
    ["GET", "/admin/chart-images"],
    ["DELETE", "/admin/delete-chart-image/00000000000000000000000000000000.png"],
    ["POST", "/admin/cleanup-images"],
  ])("is for admins only: %s %s", async (method, path) => {
    expect((await call(trader, path, method)).status).toBe(403);
    expect((await server.call(path, { method })).status).toBe(401);
  });
});
