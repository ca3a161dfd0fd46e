import { meSchema } from "@shared/contract/account.ts";
import { userListSchema } from "@shared/contract/admin.ts";
import { DAY_MS } from "@shared/contract/constants.ts";
import { errorBodySchema } from "@shared/contract/errors.ts";
import { chartImageListSchema, cleanupResultSchema } from "@shared/contract/files.ts";
import type { ChartImageRecord } from "@shared/database/models/signal.ts";
import type { UserRecord } from "@shared/database/models/user.ts";
import { newFilename } from "@shared/domain/file-store.ts";
import { commit } from "@shared/outbox/commit.ts";
import { ADMINS_STREAM } from "@shared/outbox/streams.ts";
import { multipartForm } from "@shared/testing/api-client.ts";
import { createUser, signTokenFor } from "@shared/testing/factories.ts";
import { chartImage, plainImage } from "@shared/testing/images.ts";
import { testDatabaseUri } from "@shared/testing/test-mongo.ts";
import { Types } from "mongoose";
import sharp from "sharp";
import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished } from "vitest";
import { createApp } from "../../app.ts";
import { listen, startTestServer, type TestServer } from "../../testing/start-test-server.ts";
import { removeUserFiles } from "./stored-files.ts";

const UNKNOWN = "/payment_proofs/00000000000000000000000000000000.png";

describe("stored files", () => {
  let server: TestServer;
  let owner: UserRecord;
  let stranger: UserRecord;
  let admin: UserRecord;
  let path: string;
  let now: Date;

  beforeAll(async () => {
    server = await startTestServer({
      databaseUri: testDatabaseUri(),
      environment: { VITE_API_URL: "https://api.example.com", RATE_LIMIT: "off" },
      overrides: { now: () => now },
    });
    owner = await createUser(server.database);
    stranger = await createUser(server.database, { approved: true });
    admin = await createUser(server.database, { role: "admin" });
    now = new Date();
    const picture = await plainImage().png().toBuffer();
    const body = multipartForm({ sender_name: "Ann", proof_image: picture });
    await server.call("/submit-payment-proof", { method: "POST", token: tokenOf(owner), body });
    path = new URL(await signedUrl()).pathname;
  });
  beforeEach(() => {
    now = new Date();
  });
  afterAll(() => server.stop());

  const tokenOf = (of: UserRecord) => signTokenFor(of, server.deps.settings);
  const signedUrl = async (): Promise<string> => {
    const response = await server.call("/me", { token: tokenOf(owner) });
    return meSchema.parse(await response.json()).payment_proof?.url ?? "";
  };
  const pathAndQuery = (url: string) => url.replace("https://api.example.com", "");
  const refusal = async (response: Promise<Response>) => {
    const { status, headers, ...answer } = await response.then(async (one) => ({
      status: one.status,
      headers: one.headers,
      ...errorBodySchema.parse(await one.json()),
    }));
    expect(headers.get("content-type")).toMatch(/^application\/json/);
    return [status, answer.code];
  };

  it.each([
    ["the owner", () => owner],
    ["an admin", () => admin],
  ])("go to %s by bearer token, with headers that keep them harmless", async (_, reader) => {
    const response = await server.call(path, { token: tokenOf(reader()) });
    expect(response.status).toBe(200);
    const bytes = Buffer.from(await response.arrayBuffer());
    expect((await sharp(bytes).metadata()).format).toBe("png");
    const filename = path.split("/").at(-1);
    const headers = Object.fromEntries(response.headers);
    expect(headers).toMatchObject({
      "content-type": "image/png",
      "content-length": String(bytes.length),
      "content-disposition": `inline; filename="${filename}"`,
      "cross-origin-resource-policy": "cross-origin",
      "x-content-type-options": "nosniff",
    });
    expect(headers["cache-control"]).toMatch(/^private\b/);
    expect(headers["content-security-policy"]).toContain("default-src 'none'");
  });

  it("go by their signed address to anybody, without a token", async () => {
    const url = await signedUrl();
    expect(url.startsWith("https://api.example.com/payment_proofs/")).toBe(true);
    const response = await server.call(pathAndQuery(url));
    expect(response.status).toBe(200);
    expect(response.headers.get("content-type")).toBe("image/png");
  });

  it("have addresses that expire after 10 minutes", async () => {
    const url = pathAndQuery(await signedUrl());
    now = new Date(now.getTime() + 9 * 60_000);
    expect((await server.call(url)).status).toBe(200);
    now = new Date(now.getTime() + 61_000);
    expect(await refusal(server.call(url))).toEqual([403, "file-not-allowed"]);
  });

  it.each([
    ["its signature", (url: string) => url.replace(/signature=.../, "signature=AAA")],
    ["its time", (url: string) => url.replace(/expires=\d+/, "expires=9999999999")],
    ["its file", (url: string) => url.replace(/payment_proofs\/.../, "payment_proofs/000")],
    ["its folder", (url: string) => url.replace("payment_proofs", "chart_uploads")],
    ["nothing but a signature", (url: string) => url.replace(/expires=\d+&/, "")],
    ["nothing but a time", (url: string) => url.replace(/&signature=.+/, "")],
    ["two signatures", (url: string) => `${url}&signature=AAA`],
  ])("refuse an address in which %s was changed", async (_, tamper) => {
    const url = tamper(pathAndQuery(await signedUrl()));
    expect(await refusal(server.call(url))).toEqual([403, "file-not-allowed"]);
    const asStranger = server.call(url, { token: tokenOf(stranger) });
    expect(await refusal(asStranger)).toEqual([403, "file-not-allowed"]);
  });

  it("ask strangers to log in, and refuse other users", async () => {
    expect(await refusal(server.call(path))).toEqual([401, "unauthenticated"]);
    expect(await refusal(server.call(path, { token: "nonsense" }))).toEqual([
      401,
      "unauthenticated",
    ]);
    const asStranger = server.call(path, { token: tokenOf(stranger) });
    expect(await refusal(asStranger)).toEqual([403, "file-not-allowed"]);
  });

  it("are recorded when an administrator reads them, once an hour, also by a signed address", async () => {
    const reads = async () =>
      (await server.database.securityLog.find({ type: "file:read" }).sort({ _id: 1 }).lean()).map(
        ({ actor, user, details }) => ({ actor, user, ...details }),
      );
    // An administrator has read it in another test.
    now = new Date(now.getTime() + 2 * 3_600_000);
    const before = (await reads()).length;
    const token = tokenOf(admin);
    const list = await server.call("/admin/list-users", { token });
    const { users } = userListSchema.parse(await list.json());
    const card = users.find(({ username }) => username === owner.username);
    const url = pathAndQuery(card?.payment_proof?.url ?? "");
    await server.call(path, { token: tokenOf(owner) });
    await server.call(pathAndQuery(await signedUrl()));
    expect(await reads()).toHaveLength(before);
    expect((await server.call(url)).status).toBe(200);
    expect((await server.call(path, { token })).status).toBe(200);
    const filename = path.split("/").at(-1);
    const names = { actor: admin.username, user: owner.username };
    const entry = { ...names, kind: "payment_proofs", filename };
    expect((await reads()).slice(before)).toEqual([entry]);
    now = new Date(now.getTime() + 3_600_000);
    expect((await server.call(path, { token: tokenOf(admin) })).status).toBe(200);
    expect((await reads()).slice(before)).toEqual([entry, entry]);
  });

  it("cannot be read by the signed URL of a user who is no longer an administrator", async () => {
    const former = await createUser(server.database, { role: "admin" });
    const list = await server.call("/admin/list-users", { token: tokenOf(former) });
    const { users } = userListSchema.parse(await list.json());
    const card = users.find(({ username }) => username === owner.username);
    const url = pathAndQuery(card?.payment_proof?.url ?? "");
    await server.database.users.updateOne({ _id: former._id }, { role: "user" });
    expect(await refusal(server.call(url))).toEqual([403, "file-not-allowed"]);
    const unnamed = url.replace(/admin=[^&]+&/, "");
    expect(await refusal(server.call(unnamed))).toEqual([403, "file-not-allowed"]);
  });

  it("cannot be read in production by the signed URL of an administrator whose second factor is off", async () => {
    const { database } = server;
    const reader = await createUser(database, {
      role: "admin",
      twoFactor: { secret: "sealed", usedSteps: [], recoveryHashes: [] },
    });
    const production = createApp({
      ...server.deps,
      settings: { ...server.deps.settings, NODE_ENV: "production" },
    });
    const { url, close } = await listen(production, server.deps.logger);
    onTestFinished(close);
    const { users } = userListSchema.parse(
      await (await server.call("/admin/list-users", { token: tokenOf(reader) })).json(),
    );
    const proof = users.find(({ username }) => username === owner.username)?.payment_proof;
    const read = () => fetch(url + pathAndQuery(proof?.url ?? ""));
    expect((await read()).status).toBe(200);
    await database.users.updateOne({ _id: reader._id }, { $set: { twoFactor: null } });
    expect(await refusal(read())).toEqual([403, "file-not-allowed"]);
  });

  it("that are unknown are not found", async () => {
    expect(await refusal(server.call(UNKNOWN))).toEqual([401, "unauthenticated"]);
    for (const reader of [owner, stranger, admin]) {
      const response = server.call(UNKNOWN, { token: tokenOf(reader) });
      expect(await refusal(response)).toEqual([404, "not-found"]);
    }
  });

  it.each([
    "/payment_proofs/..%2f..%2fetc%2fpasswd",
    "/payment_proofs/%2e%2e%2fsecrets.json",
    "/payment_proofs/x%00.png",
    "/payment_proofs/$ne",
    "/payment_proofs/.png",
    "/payment_proofs/%E0%A4%A",
    "/payment_proofs/",
    "/payment_proofs",
  ])("have no other names: %s", async (other) => {
    const response = await server.call(other, { token: tokenOf(admin) });
    expect([400, 404]).toContain(response.status);
    expect(response.headers.get("content-type")).toMatch(/^application\/json/);
  });

  it("answer HEAD with the same headers and no body", async () => {
    const get = await server.call(path, { token: tokenOf(owner) });
    const head = await server.call(path, { method: "HEAD", token: tokenOf(owner) });
    expect(head.status).toBe(200);
    expect(await head.text()).toBe("");
    for (const name of ["content-length", "content-type", "etag", "content-disposition"]) {
      expect(head.headers.get(name)).toBe(get.headers.get(name));
    }
    expect((await server.call(path, { method: "HEAD" })).status).toBe(401);
  });

  it("are not sent again to a browser that has kept them, as long as it may see them", async () => {
    const first = await server.call(path, { token: tokenOf(owner) });
    const etag = first.headers.get("etag") ?? "";
    // As a browser asks; without the second header, fetch would ask for a fresh copy.
    const headers = { "If-None-Match": etag, "Cache-Control": "max-age=0" };
    expect((await server.call(path, { token: tokenOf(owner), headers })).status).toBe(304);
    expect((await server.call(path, { token: tokenOf(stranger), headers })).status).toBe(403);
  });

  it("that were deleted are not found at their signed address either", async () => {
    const url = pathAndQuery(await signedUrl());
    const path = `/admin/delete-proof/${owner.username}`;
    await server.call(path, { method: "POST", token: tokenOf(admin) });
    expect(await refusal(server.call(url))).toEqual([404, "not-found"]);
  });
});

describe("chart images", () => {
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

    it("deletes one image with its bytes, and notifies the admins", async () => {
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

    it("cleans up more images than one transaction deletes, with an event for each", async () => {
      const image = await upload(1);
      const copies = Array.from({ length: 24 }, () => ({
        ...image,
        _id: new Types.ObjectId(),
        filename: newFilename("image/png"),
      }));
      await server.database.chartImages.insertMany(copies);
      const before = (await deletedEvents()).length;
      await server.database.signals.deleteMany({ userId: trader._id });
      const response = await call(admin, "/admin/cleanup-images", "POST");
      expect(await response.json()).toMatchObject({ deleted: 25 });
      expect((await deletedEvents()).length).toBe(before + 25);
      expect(await server.database.chartImages.countDocuments({ userId: trader._id })).toBe(0);
    });

    it("loses all files of a user who goes, with their bytes", async () => {
      const images = [await upload(1), await upload(2)];
      const body = multipartForm({
        sender_name: "Ann",
        proof_image: await plainImage().png().toBuffer(),
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
});
