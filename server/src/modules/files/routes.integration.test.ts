import { meSchema } from "@shared/contract/account.ts";
import { userListSchema } from "@shared/contract/admin.ts";
import { errorBodySchema } from "@shared/contract/errors.ts";
import type { UserRecord } from "@shared/database/models/user.ts";
import { multipartForm } from "@shared/testing/api-client.ts";
import { createUser, signTokenFor } from "@shared/testing/factories.ts";
import { chartImage } from "@shared/testing/images.ts";
import { testDatabaseUri } from "@shared/testing/test-mongo.ts";
import sharp from "sharp";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { startTestServer, type TestServer } from "../../testing/start-test-server.ts";

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
  });
  beforeEach(async () => {
    now = new Date();
    const picture = await chartImage(1).png().toBuffer();
    const body = multipartForm({ sender_name: "Ann", proof_image: picture });
    await server.call("/submit-payment-proof", { method: "POST", token: tokenOf(owner), body });
    path = new URL(await signedUrl()).pathname;
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
    const [filename, names] = [
      path.split("/").at(-1),
      { actor: admin.username, user: owner.username },
    ];
    const entry = { ...names, kind: "payment_proofs", filename };
    expect((await reads()).slice(before)).toEqual([entry]);
    now = new Date(now.getTime() + 3_600_000);
    expect((await server.call(path, { token: tokenOf(admin) })).status).toBe(200);
    expect((await reads()).slice(before)).toEqual([entry, entry]);
  });

  it("cannot be read by the signed address of somebody who is no administrator any more", async () => {
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

  it("that are unknown are not found", async () => {
    expect(await refusal(server.call(UNKNOWN))).toEqual([401, "unauthenticated"]);
    for (const reader of [owner, stranger, admin]) {
      const response = server.call(UNKNOWN, { token: tokenOf(reader) });
      expect(await refusal(response)).toEqual([404, "not-found"]);
    }
  });

  it("that were deleted are not found at their signed address either", async () => {
    const url = pathAndQuery(await signedUrl());
    const path = `/admin/delete-proof/${owner.username}`;
    await server.call(path, { method: "POST", token: tokenOf(admin) });
    expect(await refusal(server.call(url))).toEqual([404, "not-found"]);
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
});
