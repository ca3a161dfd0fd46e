import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { sessionSchema } from "@shared/contract/account.ts";
import type { Database } from "@shared/database/database.ts";
import type { UserRecord } from "@shared/database/models/user.ts";
import { ADMINS_STREAM, CONTROL_STREAM } from "@shared/outbox/streams.ts";
import { ApiClient, multipartForm, PUSH_WAIT } from "@shared/testing/api-client.ts";
import { createUser, TEST_PASSWORD } from "@shared/testing/factories.ts";
import { chartImage } from "@shared/testing/images.ts";
import { createSignals, runResult, startRun } from "@shared/testing/signal-factory.ts";
import { testDatabaseUri } from "@shared/testing/test-mongo.ts";
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from "vitest";
import { finishRun } from "../../../../worker/src/signals/signal-lifecycle.ts";
import { type LiveServer, startLiveServer } from "../../testing/start-live-server.ts";

const DATA_DIR = mkdtempSync(join(tmpdir(), "delete-user-"));
const bitcoin = { symbol: "BTC/USDT", timeframe: "1h" };
const LATER = { headers: { Prefer: "respond-async" } };

describe("deleting a user", () => {
  let server: LiveServer;
  let database: Database;
  let api: ApiClient;
  let root: UserRecord;
  let ann: UserRecord;
  let count = 0;
  beforeAll(async () => {
    server = await startLiveServer({
      databaseUri: testDatabaseUri(),
      env: { DATA_DIR, RATE_LIMIT: "off" },
    });
    database = server.database;
    api = new ApiClient(server);
    root = await createUser(database, { username: "Root", role: "admin", approved: true });
  });
  beforeEach(async () => {
    const username = `Ann.${++count}`;
    ann = await createUser(database, { username, approved: true, allowImageUpload: true });
  });
  afterAll(async () => {
    api.close();
    await server.stop();
    rmSync(DATA_DIR, { recursive: true });
  });

  const deleteAnn = () => api.post(root, `/admin/delete-user/${ann.username}`);
  const ask = (user: UserRecord) =>
    api.call("/get-signal", { method: "POST", user, body: bitcoin, ...LATER });
  const formWith = async (fields: Record<string, string>, file: { field: string; seed: number }) =>
    multipartForm({ ...fields, [file.field]: await chartImage(file.seed).png().toBuffer() });
  const signalIdsOf = (user: UserRecord) => database.signals.distinct("_id", { userId: user._id });

  /** Collections that hold any of these words, but for what is told to admins and servers, and the audit trail. */
  const placesOf = async (words: readonly { toString(): string }[]): Promise<string[]> => {
    const places = new Set<string>();
    const { db } = database.connection;
    for (const { name } of (await db?.listCollections().toArray()) ?? []) {
      if (name === "audit_entries") continue;
      const passed = name === "events" ? { stream: { $nin: [ADMINS_STREAM, CONTROL_STREAM] } } : {};
      const documents = await db?.collection(name).find(passed).toArray();
      const text = JSON.stringify(documents);
      if (words.some((word) => text.includes(word.toString()))) places.add(name);
    }
    return [...places].sort();
  };

  it("leaves no data: history, queue, files, credits, events, sign-in", async () => {
    await api.post(root, `/admin/grant-image-credits/${ann.username}`, { credits: 3 });
    await createSignals(database, ann, { count: 3 });
    await createSignals(database, ann, { status: "running" });
    expect(await ask(ann)).toMatchObject({ status: 202 });
    const proof = await formWith({ sender_name: "A. Smith" }, { field: "proof_image", seed: 1 });
    expect(await api.post(ann, "/submit-payment-proof", proof)).toMatchObject({ status: 201 });
    const chart = await formWith(bitcoin, { field: "chart_image", seed: 2 });
    expect(
      await api.call("/get-signal-with-image", {
        method: "POST",
        user: ann,
        body: chart,
        ...LATER,
      }),
    ).toMatchObject({ status: 202 });
    await api.call("/forgot-password", { method: "POST", body: { email: ann.email } });
    await vi.waitUntil(() => database.mailTokens.exists({ identityId: ann.identityId }), PUSH_WAIT);

    const files = await database.chartImages.distinct("_id", { userId: ann._id });
    files.push(...(await database.paymentProofs.distinct("_id", { userId: ann._id })));
    const words = [ann._id, ann.identityId, ann.email, ...files, ...(await signalIdsOf(ann))];
    expect(await placesOf(words)).toEqual([
      "agendaJobs",
      "chart_images",
      "chart_uploads.chunks",
      "chart_uploads.files",
      "credit_entries",
      "events",
      "idempotency_keys",
      "identities",
      "mail_tokens",
      "market_analyses",
      "payment_proofs",
      "payment_proofs.chunks",
      "payment_proofs.files",
      "proof_fingerprints",
      "signals",
      "users",
    ]);
    expect(await deleteAnn()).toEqual({
      status: 200,
      body: { detail: `Deleted ${ann.username}.` },
    });
    expect(await placesOf(words)).toEqual([]);
  });

  it("closes their open pages, rejects their token, and notifies the admins", async () => {
    const [tab, admins] = [await api.connect(ann), await api.connect(root)];
    await deleteAnn();
    await vi.waitFor(() => expect(tab.socket.connected).toBe(false), PUSH_WAIT);
    expect(tab.other).toEqual([{ name: "session:ended", payload: { reason: "deleted" } }]);
    expect(await api.call("/me", { user: ann })).toMatchObject({ status: 401 });
    await vi.waitFor(
      () => expect(admins.named("user:deleted").at(-1)?.data).toEqual({ username: ann.username }),
      PUSH_WAIT,
    );
    const refused = new Promise((resolve) => tab.socket.once("connect_error", resolve));
    tab.socket.connect();
    expect(await refused).toMatchObject({ data: { code: "unauthenticated" } });
  });

  it("frees the name for somebody who starts from nothing", async () => {
    await createSignals(database, ann, { count: 2 });
    await api.post(root, `/admin/grant-image-credits/${ann.username}`, { credits: 3 });
    await deleteAnn();
    const { username, email } = ann;
    const body = { username, email, password: TEST_PASSWORD };
    const registered = await api.call("/register", { method: "POST", body });
    expect(registered.status).toBe(201);
    const { token } = sessionSchema.parse(registered.body);
    const headers = { Authorization: `Bearer ${token}` };
    expect((await api.call("/me", { headers })).body).toMatchObject({
      approved: false,
      allow_image_upload: false,
      image_credits: 0,
      payment_proof: null,
      stream_positions: { user: 0 },
    });
    const heir = await database.users.findOne({ usernameKey: username.toLowerCase() }).lean();
    expect(heir?._id.toString()).not.toBe(ann._id.toString());
    expect(await signalIdsOf(ann)).toEqual([]);
    expect(await api.call("/me", { user: ann })).toMatchObject({ status: 401 });
  });

  it("happens once, however many ask for it at the same moment", async () => {
    const answers = await Promise.all([deleteAnn(), deleteAnn(), deleteAnn()]);
    expect(answers.map((answer) => answer.status).sort()).toEqual([200, 404, 404]);
    const told = await database.events.find({ name: "user:deleted" }).lean();
    expect(told.filter(({ data }) => JSON.stringify(data).includes(ann.username))).toHaveLength(1);
  });

  it("leaves one of two administrators who delete each other", async () => {
    const eve = await createUser(database, { username: "Eve", role: "admin", approved: true });
    const adam = await createUser(database, { username: "Adam", role: "admin", approved: true });
    const answers = await Promise.all([
      api.post(eve, "/admin/delete-user/Adam"),
      api.post(adam, "/admin/delete-user/Eve"),
    ]);
    expect(answers.map((answer) => answer.status).sort()).toEqual([200, 401]);
    expect(await database.users.countDocuments({ username: { $in: ["Eve", "Adam"] } })).toBe(1);
  });

  it("restores nothing when a worker finishes one of their signals afterwards", async () => {
    const [waiting, asked] = await createSignals(database, ann, { count: 2, status: "queued" });
    const claim = asked && (await startRun(database, asked));
    if (!waiting || !claim) throw new Error("there is no signal to delete");
    const words = [ann._id, waiting._id, asked?._id];
    await deleteAnn();
    expect(await finishRun(database, claim, runResult())).toBe(true);
    expect(await startRun(database, waiting)).not.toBeNull();
    expect(await placesOf(words)).toEqual([]);
  });

  it.each([1, 2, 3])("leaves nothing of concurrent requests (%i)", async () => {
    const proof = await formWith({ sender_name: "A. Smith" }, { field: "proof_image", seed: 3 });
    const deletion = deleteAnn();
    const doings = [
      ...Array.from({ length: 20 }, () => ask(ann)),
      api.post(ann, "/submit-payment-proof", proof),
      api.post(root, `/admin/grant-image-credits/${ann.username}`, { credits: 3 }),
      api.post(root, `/admin/delete-signal-history/${ann.username}`),
    ];
    expect(await deletion).toMatchObject({ status: 200 });
    const statuses = new Set((await Promise.all(doings)).map((answer) => answer.status));
    expect([...statuses].filter((status) => ![200, 201, 202, 401, 404].includes(status))).toEqual(
      [],
    );
    expect(await placesOf([ann._id, ann.identityId, ann.email])).toEqual([]);
  });
});
