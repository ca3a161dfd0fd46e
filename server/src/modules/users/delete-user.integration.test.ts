import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { sessionSchema } from "@shared/contract/account.ts";
import type { Database } from "@shared/database/database.ts";
import type { UserRecord } from "@shared/database/models/user.ts";
import { ADMINS_STREAM, CONTROL_STREAM, userStream } from "@shared/outbox/streams.ts";
import { multipartForm, PUSH_WAIT } from "@shared/testing/api-client.ts";
import { createUser, TEST_PASSWORD } from "@shared/testing/factories.ts";
import { plainImage } from "@shared/testing/images.ts";
import { createSignals, runResult, startRun } from "@shared/testing/signal-factory.ts";
import { testDatabaseUri } from "@shared/testing/test-mongo.ts";
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from "vitest";
import { z } from "zod";
import { finishRun } from "../../../../worker/src/signals/signal-lifecycle.ts";
import { ApiClient, type LiveServer, startLiveServer } from "../../testing/start-live-server.ts";

const DATA_DIR = mkdtempSync(join(tmpdir(), "delete-user-"));
const bitcoin = { symbol: "BTC/USDT", timeframe: "1h" };
const LATER = { headers: { Prefer: "respond-async" } };

const channelSchema = z.object({ id: z.string() });
const dataSchema = z.object({
  signals: z.array(z.object({ signal_id: z.string() })),
  events: z.array(z.object({ seq: z.number() })),
});

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
    const rights = { approved: true, allowImageUpload: true, emailVerified: true };
    ann = await createUser(database, { username, ...rights });
  });
  afterAll(async () => {
    api.close();
    await server.stop();
    rmSync(DATA_DIR, { recursive: true });
  });

  const deleteAnn = () => api.post(root, `/admin/delete-user/${ann.username}`);
  const ask = (user: UserRecord) =>
    api.call("/get-signal", { method: "POST", user, body: bitcoin, ...LATER });
  const picture = plainImage().png().toBuffer();
  const formWith = async (fields: Record<string, string>, file: string) =>
    multipartForm({ ...fields, [file]: await picture });
  const signalIdsOf = (user: UserRecord) => database.signals.distinct("_id", { userId: user._id });

  /** Collections that hold any of these words, but for what is published to admins and servers, and the security log. */
  const placesOf = async (words: readonly { toString(): string }[]): Promise<string[]> => {
    const places = new Set<string>();
    const { db } = database.connection;
    for (const { name } of (await db?.listCollections().toArray()) ?? []) {
      if (name === "security_log") continue;
      const passed = name === "events" ? { stream: { $nin: [ADMINS_STREAM, CONTROL_STREAM] } } : {};
      const documents = await db?.collection(name).find(passed).toArray();
      const text = JSON.stringify(documents);
      if (words.some((word) => text.includes(word.toString()))) places.add(name);
    }
    return [...places].sort();
  };

  const deleteOwn = (user: UserRecord, body: object) =>
    api.call("/me", { method: "DELETE", user, body });
  const confirmation = (user: UserRecord) => ({
    username: user.username,
    password: TEST_PASSWORD,
  });

  /** Leaves data of Ann in every collection that may hold some. */
  const useAccount = async (): Promise<void> => {
    await api.post(root, `/admin/grant-image-credits/${ann.username}`, { credits: 3 });
    await createSignals(database, ann, { count: 3 });
    await createSignals(database, ann, { status: "running" });
    expect(await ask(ann)).toMatchObject({ status: 202 });
    const proof = await formWith({ sender_name: "A. Smith" }, "proof_image");
    expect(await api.post(ann, "/submit-payment-proof", proof)).toMatchObject({ status: 201 });
    const chart = await formWith(bitcoin, "chart_image");
    expect(
      await api.call("/get-signal-with-image", {
        method: "POST",
        user: ann,
        body: chart,
        ...LATER,
      }),
    ).toMatchObject({ status: 202 });
    expect(await api.post(ann, "/watchlist", bitcoin)).toMatchObject({ status: 201 });
    const added = await api.post(ann, "/channels", { kind: "email" });
    expect(added).toMatchObject({ status: 201 });
    const { id } = channelSchema.parse(added.body);
    await api.post(ann, `/channels/${id}/test`);
    await vi.waitUntil(() => database.deliveries.exists({ userId: ann._id }), PUSH_WAIT);
    await api.call("/forgot-password", { method: "POST", body: { email: ann.email } });
    await vi.waitUntil(() => database.mailTokens.exists({ identityId: ann.identityId }), PUSH_WAIT);
  };

  it.each([
    ["an administrator", deleteAnn],
    ["the owner", () => deleteOwn(ann, confirmation(ann))],
  ])("leaves no data when %s does it", async (_, deleteAccount) => {
    await useAccount();
    const files = await database.chartImages.distinct("_id", { userId: ann._id });
    files.push(...(await database.paymentProofs.distinct("_id", { userId: ann._id })));
    const words = [ann._id, ann.identityId, ann.email, ...files, ...(await signalIdsOf(ann))];
    expect(await placesOf(words)).toEqual([
      "agendaJobs",
      "channels",
      "chart_images",
      "chart_uploads.chunks",
      "chart_uploads.files",
      "credit_entries",
      "deliveries",
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
      "watchlist_items",
    ]);
    expect([200, 204]).toContain((await deleteAccount()).status);
    expect(await placesOf(words)).toEqual([]);
    expect(await api.call("/me", { user: ann })).toMatchObject({ status: 401 });
  });

  it("is possible for the owner with their username and password only", async () => {
    await createSignals(database, ann, { count: 1 });
    const refusals: [object, number, string][] = [
      [{ ...confirmation(ann), username: root.username }, 422, "invalid-input"],
      [{ username: ann.username }, 403, "reauthentication-required"],
      [{ ...confirmation(ann), password: "wrong" }, 403, "wrong-password"],
    ];
    for (const [body, status, code] of refusals) {
      expect(await deleteOwn(ann, body)).toMatchObject({ status, body: { code } });
    }
    expect(await signalIdsOf(ann)).toHaveLength(1);
    const username = ann.username.toUpperCase();
    expect((await deleteOwn(ann, { ...confirmation(ann), username })).status).toBe(204);
    const entry = { actor: ann.username, type: "user:deleted", user: ann.username };
    expect(await database.securityLog.countDocuments(entry)).toBe(1);
  });

  it("is refused to the last administrator, who keeps their history", async () => {
    const others = { role: "admin", _id: { $ne: root._id } } as const;
    await database.users.updateMany(others, { role: "user" });
    await createSignals(database, root, { count: 1 });
    expect(await deleteOwn(root, confirmation(root))).toMatchObject({
      status: 409,
      body: { code: "last-admin" },
    });
    expect(await signalIdsOf(root)).toHaveLength(1);
  });

  it("leaves one of the last two administrators who delete their own accounts at once", async () => {
    await database.users.updateMany({ role: "admin" }, { role: "user" });
    const cain = await createUser(database, { role: "admin" });
    const abel = await createUser(database, { role: "admin" });
    const answers = await Promise.all(
      [cain, abel].map((user) => deleteOwn(user, confirmation(user))),
    );
    await database.users.updateOne({ _id: root._id }, { role: "admin" });
    expect(answers.map(({ status }) => status).sort()).toEqual([204, 409]);
    expect(await database.users.countDocuments({ _id: { $in: [cain._id, abel._id] } })).toBe(1);
  });

  it("is not needed to get a copy of the data, which has nothing of others and no secret", async () => {
    const bob = await createUser(database, { approved: true });
    await createSignals(database, bob, { count: 1 });
    await useAccount();
    const { body } = await api.call("/me/data", { user: ann });
    expect(body).toMatchObject({
      account: { username: ann.username, email: ann.email, image_credits: 2 },
      sessions: [{ user_agent: "Vitest", current: true }],
      payment_proofs: [{ sender_name: "A. Smith", content_type: "image/png" }],
      chart_images: [{ filename: expect.any(String), signal_id: expect.any(String) }],
      credits: [
        { kind: "grant", amount: 3, balance: 3 },
        { kind: "spend", amount: -1, balance: 2 },
      ],
      security_log: expect.arrayContaining([
        expect.objectContaining({ type: "credits:granted" }),
        expect.objectContaining({ type: "data:exported", address: expect.any(String) }),
      ]),
    });
    const { signals, events } = dataSchema.parse(body);
    expect(signals.map(({ signal_id: id }) => id)).toEqual((await signalIdsOf(ann)).map(String));
    expect(events.length).toBe(
      await database.events.countDocuments({ stream: userStream(ann._id) }),
    );
    const identity = await database.identities.findById(ann.identityId).lean();
    const text = JSON.stringify(body);
    const hidden = [
      identity?.passwordHash,
      ann.sessions[0]?.network,
      root.username,
      bob.username,
      ...(await signalIdsOf(bob)),
    ];
    for (const word of hidden) expect(text).not.toContain(String(word));
  });

  it("closes their open pages, rejects their token, and notifies the admins", async () => {
    const tab = await api.connect(ann);
    const admins = await api.connect(root);
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
    const deletions = await database.events.find({ name: "user:deleted" }).lean();
    expect(
      deletions.filter(({ data }) => JSON.stringify(data).includes(ann.username)),
    ).toHaveLength(1);
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
    const proof = await formWith({ sender_name: "A. Smith" }, "proof_image");
    const deletion = deleteAnn();
    const doings = [
      ...Array.from({ length: 10 }, () => ask(ann)),
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
