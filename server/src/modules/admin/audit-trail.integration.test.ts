import { auditPageSchema } from "@shared/contract/admin.ts";
import type { Database } from "@shared/database/database.ts";
import type { UserRecord } from "@shared/database/models/user.ts";
import { ApiClient, jsonBody } from "@shared/testing/api-client.ts";
import { createUser } from "@shared/testing/factories.ts";
import { createSignals } from "@shared/testing/signal-factory.ts";
import { testDatabaseUri } from "@shared/testing/test-mongo.ts";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { type LiveServer, startLiveServer } from "../../testing/start-live-server.ts";

describe("GET /admin/audit", () => {
  let server: LiveServer;
  let database: Database;
  let api: ApiClient;
  let root: UserRecord;
  let ann: UserRecord;
  beforeAll(async () => {
    server = await startLiveServer({ databaseUri: testDatabaseUri() });
    database = server.database;
    api = new ApiClient(server);
    root = await createUser(database, { username: "Root", role: "admin", approved: true });
  });
  beforeEach(async () => {
    await database.auditEntries.deleteMany();
    await database.users.deleteMany({ usernameKey: "ann" });
    await database.identities.deleteMany();
    ann = await createUser(database, { username: "Ann" });
  });
  afterAll(async () => {
    await server.stop();
  });

  const read = async (query = "") => {
    const { status, body } = await api.call(`/admin/audit${query}`, { user: root });
    expect(status).toBe(200);
    return auditPageSchema.strict().parse(body);
  };
  const act = async (path: string, body?: unknown) => {
    const answer = await api.post(root, path, body === undefined ? body : jsonBody(body));
    expect(answer.status).toBe(200);
  };

  it("tells who did what to whom, newest first", async () => {
    await createSignals(database, ann, { count: 2 });
    await act("/admin/approve/ann");
    await act("/admin/revoke/ann");
    await act("/admin/set-image-access/ann", { allow: true });
    await act("/admin/grant-image-credits/ann", { credits: 12 });
    await act("/admin/delete-signal-history/ann");
    await act("/admin/update-payment-details", { wise_details: "a", paypal_details: "b" });
    await act("/admin/delete-user/ann");
    const { entries, next_cursor } = await read();
    expect(next_cursor).toBeNull();
    expect(entries.every((entry) => entry.actor === "Root")).toBe(true);
    const account = { approved: false, allow_image_upload: false, image_credits: 0 };
    expect(entries.map(({ action, subject, details }) => [action, subject, details])).toEqual([
      ["user:deleted", "Ann", {}],
      ["payment-details:updated", null, { fields: "paypal_details, wise_details" }],
      ["history:cleared", "Ann", { signals: 2 }],
      [
        "account:updated",
        "Ann",
        {
          ...account,
          reason: "credits-granted",
          allow_image_upload: true,
          image_credits: 12,
          credits: 12,
        },
      ],
      ["account:updated", "Ann", { ...account, reason: "image-access", allow_image_upload: true }],
      ["account:updated", "Ann", { ...account, reason: "revoked" }],
      ["account:updated", "Ann", { ...account, reason: "approved", approved: true }],
    ]);
  });

  it("holds nothing that did not happen, nor what users do themselves", async () => {
    const anns = { method: "POST", user: ann };
    await api.call("/admin/approve/ann", anns);
    await api.post(root, "/admin/revoke/ann");
    await api.post(root, "/admin/approve/nobody");
    await api.post(root, "/admin/delete-user/root");
    await api.post(root, "/admin/grant-image-credits/ann", jsonBody({ credits: "1e3" }));
    await api.call("/get-signal", { ...anns, body: jsonBody({ symbol: "BTC/USDT" }) });
    expect((await read()).entries).toEqual([]);
  });

  it("is read page by page, each entry once, also those of one moment", async () => {
    const at = new Date();
    await database.auditEntries.insertMany(
      Array.from({ length: 7 }, (_, index) => ({
        actor: "Root",
        action: "user:deleted",
        subject: `user-${index}`,
        details: {},
        at: index < 5 ? at : new Date(at.getTime() - index),
      })),
    );
    const seen: (string | null)[] = [];
    let cursor: string | null = "";
    while (cursor !== null) {
      const page = await read(`?limit=3${cursor && `&cursor=${cursor}`}`);
      expect(page.entries.length).toBeLessThanOrEqual(3);
      seen.push(...page.entries.map((entry) => entry.subject));
      cursor = page.next_cursor;
    }
    const newestFirst = [4, 3, 2, 1, 0, 5, 6];
    expect(seen).toEqual(newestFirst.map((index) => `user-${index}`));
  });

  it("finds its pages by an index, and forgets after a year", async () => {
    const plan = await database.auditEntries.find().sort({ at: -1, _id: -1 }).limit(3).explain();
    expect(JSON.stringify(plan)).not.toMatch(/COLLSCAN|"SORT"/);
    const indexes = await database.auditEntries.collection.indexes();
    expect(indexes.map((index) => index.expireAfterSeconds)).toContain(365 * 86_400);
  });

  it.each(["?limit=0", "?limit=x", "?cursor=x", "?cursor=1_2", "?limit=5&limit=6"])(
    "refuses %s",
    async (query) => {
      const answer = await api.call(`/admin/audit${query}`, { user: root });
      expect(answer).toMatchObject({ status: 422, body: { code: "invalid-input" } });
    },
  );

  it("is for administrators only", async () => {
    expect(await api.call("/admin/audit")).toMatchObject({ status: 401 });
    expect(await api.call("/admin/audit", { user: ann })).toMatchObject({ status: 403 });
  });
});
