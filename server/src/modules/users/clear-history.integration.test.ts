import { historyPageSchema } from "@shared/contract/signal.ts";
import type { Database } from "@shared/database/database.ts";
import type { UserRecord } from "@shared/database/models/user.ts";
import { userStream } from "@shared/outbox/streams.ts";
import { PUSH_WAIT } from "@shared/testing/api-client.ts";
import { createUser } from "@shared/testing/factories.ts";
import { createSignals, runResult, startRun } from "@shared/testing/signal-factory.ts";
import { testDatabaseUri } from "@shared/testing/test-mongo.ts";
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from "vitest";
import { finishRun } from "../../../../worker/src/signals/signal-lifecycle.ts";
import { ApiClient, type LiveServer, startLiveServer } from "../../testing/start-live-server.ts";

describe("clearing signal histories", () => {
  let server: LiveServer;
  let database: Database;
  let api: ApiClient;
  let root: UserRecord;
  let ann: UserRecord;
  let bob: UserRecord;
  let count = 0;
  beforeAll(async () => {
    server = await startLiveServer({ databaseUri: testDatabaseUri() });
    database = server.database;
    api = new ApiClient(server);
    root = await createUser(database, { username: "Root", role: "admin", approved: true });
  });
  beforeEach(async () => {
    count++;
    ann = await createUser(database, { username: `Ann.${count}`, approved: true });
    bob = await createUser(database, { username: `Bob.${count}`, approved: true });
  });
  afterAll(async () => {
    api.close();
    await server.stop();
  });

  const clear = (user: UserRecord) =>
    api.post(root, `/admin/delete-signal-history/${user.username}`);
  const clearAll = () => api.post(root, "/admin/clear-all-signal-history");
  const historyOf = async (user: UserRecord) => {
    const { body } = await api.call("/signal-history", { user });
    return historyPageSchema.parse(body).signals.map((signal) => signal.id);
  };
  const toldTo = async (user: UserRecord) => {
    const events = await database.events.find({ stream: userStream(user._id) }).lean();
    return events.map(({ name, data, actor }) => ({ name, data, actor }));
  };
  const countAll = async () => ({
    signals: await database.signals.countDocuments(),
    keys: await database.idempotencyKeys.countDocuments(),
  });

  it("deletes one user's finished signals with their keys, and no other user's", async () => {
    const before = await countAll();
    await createSignals(database, ann, { count: 11 });
    await createSignals(database, ann, { status: "failed" });
    const [kept] = await createSignals(database, bob);
    expect(await clear(ann)).toEqual({
      status: 200,
      body: { detail: `Deleted 12 signals of ${ann.username}.` },
    });
    expect(await historyOf(ann)).toEqual([]);
    expect(await historyOf(bob)).toEqual([kept?._id.toString()]);
    expect(await countAll()).toEqual({
      signals: before.signals + 1,
      keys: before.keys + 1,
    });
  });

  it("notifies the user's open pages, by the administrator's name in the log", async () => {
    const tab = await api.connect(ann);
    await createSignals(database, ann);
    expect((await clear(ann)).body).toEqual({ detail: `Deleted 1 signal of ${ann.username}.` });
    await vi.waitFor(() => expect(tab.received).toHaveLength(1), PUSH_WAIT);
    expect(tab.received[0]).toMatchObject({ name: "history:cleared", stream: "user", data: {} });
    expect(await toldTo(ann)).toEqual([{ name: "history:cleared", data: {}, actor: "Root" }]);
  });

  it("notifies of nothing where there was nothing to delete", async () => {
    expect(await clear(ann)).toEqual({
      status: 200,
      body: { detail: `Deleted 0 signals of ${ann.username}.` },
    });
    expect(await toldTo(ann)).toEqual([]);
  });

  it("lets what is queued or running come to its normal end", async () => {
    const [queued] = await createSignals(database, ann, { status: "queued", revision: 0 });
    const [asked] = await createSignals(database, ann, { status: "queued", revision: 0 });
    const running = asked && (await startRun(database, asked));
    if (!queued || !running) throw new Error("there is nothing to look at");
    await createSignals(database, ann, { count: 2 });
    expect((await clear(ann)).body).toEqual({ detail: `Deleted 2 signals of ${ann.username}.` });

    expect(await finishRun(database, running, { ...runResult(), candles: [] })).toBe(true);
    expect(await historyOf(ann)).toEqual([asked?._id.toString()]);
    expect(await database.signals.findById(queued._id).lean()).toMatchObject({ status: "queued" });
  });

  it("deletes a long history in several transactions, all of it", async () => {
    await createSignals(database, ann, { count: 1_201 });
    expect((await clear(ann)).body).toEqual({
      detail: `Deleted 1201 signals of ${ann.username}.`,
    });
    expect(await historyOf(ann)).toEqual([]);
    expect((await toldTo(ann)).map(({ name }) => name)).toEqual([
      "history:cleared",
      "history:cleared",
      "history:cleared",
    ]);
  });

  it("deletes what all users have, and notifies each of them whose history it was", async () => {
    await clearAll();
    const before = await countAll();
    await createSignals(database, ann, { count: 3 });
    await createSignals(database, bob, { count: 2 });
    await createSignals(database, bob, { status: "running" });
    const carl = await createUser(database, { username: `Carl.${count}` });
    expect(await clearAll()).toEqual({
      status: 200,
      body: { detail: "Deleted 5 signals of 2 users." },
    });
    expect((await countAll()).signals).toBe(before.signals + 1);
    expect(await toldTo(ann)).toEqual([{ name: "history:cleared", data: {}, actor: "Root" }]);
    expect(await toldTo(bob)).toEqual([{ name: "history:cleared", data: {}, actor: "Root" }]);
    expect(await toldTo(carl)).toEqual([]);
    expect((await clearAll()).body).toEqual({ detail: "Deleted 0 signals of 0 users." });
  });

  it("is for administrators only", async () => {
    await createSignals(database, ann);
    const path = "/admin/clear-all-signal-history";
    expect(await api.call(path, { method: "POST" })).toMatchObject({ status: 401 });
    expect(await api.post(ann, path)).toMatchObject({ status: 403 });
    expect(await historyOf(ann)).toHaveLength(1);
  });
});
