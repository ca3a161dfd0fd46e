import { ledgerEntrySchema, ledgerHeadSchema, ledgerPageSchema } from "@shared/contract/ledger.ts";
import { createLedgerVerifier } from "@shared/contract/ledger-verifier.ts";
import { DEFAULT_TRADING_COSTS } from "@shared/contract/resolution.ts";
import type { Analysis } from "@shared/contract/signal.ts";
import type { SignalRecord } from "@shared/database/models/signal.ts";
import type { UserRecord } from "@shared/database/models/user.ts";
import { createUser, signTokenFor } from "@shared/testing/factories.ts";
import { createSignals, WAIT_ANALYSIS } from "@shared/testing/signal-factory.ts";
import { testDatabaseUri } from "@shared/testing/test-mongo.ts";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { appendRecords } from "../../../../worker/src/record/append-records.ts";
import { startTestServer, type TestServer } from "../../testing/start-test-server.ts";

const BUY: Analysis = {
  ...WAIT_ANALYSIS,
  final_signal: "BUY",
  entry: 100.25,
  stop_loss: 98,
  take_profit: 104.5,
  source: { ...WAIT_ANALYSIS.source, data: "live" },
};

describe("the public ledger", () => {
  let server: TestServer;
  let ann: UserRecord;
  let root: UserRecord;
  beforeAll(async () => {
    server = await startTestServer({ databaseUri: testDatabaseUri() });
    root = await createUser(server.database, { role: "admin", approved: true });
  });
  afterAll(() => server.stop());
  beforeEach(async () => {
    const { database } = server;
    for (const name of [
      "signals",
      "marketAnalyses",
      "ledger",
      "ledgerReveals",
      "ledgerHeads",
    ] as const)
      await database[name].collection.deleteMany({});
    ann = await createUser(database, { approved: true });
  });

  const append = async (): Promise<void> => {
    while ((await appendRecords(server.deps)) > 0);
  };
  const finished = (count: number, overrides: Partial<SignalRecord> = {}) =>
    createSignals(server.database, ann, {
      count,
      analysis: BUY,
      finishedAt: new Date(),
      ...overrides,
    });
  const resolve = (ledgerSeq: number) => {
    const at = new Date().toISOString();
    const resolution = {
      outcome: "LOSS",
      reason: "stop",
      resolved_at: at,
      filled_at: at,
      fill: 100.25,
      exited_at: at,
      exit: 98,
      r_multiple: -1.1,
      max_favourable_r: 0.2,
      max_adverse_r: 1,
      costs: DEFAULT_TRADING_COSTS.crypto,
    };
    const update = { $set: { outcome: "LOSS", resolution } };
    return server.database.marketAnalyses.collection.updateOne({ ledgerSeq }, update);
  };
  const page = async (query = "") =>
    ledgerPageSchema.parse(await (await server.call(`/ledger${query}`)).json());
  const download = async () => {
    const answer = await server.call("/ledger/download");
    const lines = (await answer.text()).split("\n").filter((line) => line !== "");
    return { answer, lines };
  };
  const tokenOf = (user: UserRecord) => signTokenFor(user, server.deps.settings);
  const asAdmin = (path: string) => server.call(path, { method: "POST", token: tokenOf(root) });

  it("is empty at first", async () => {
    const head = ledgerHeadSchema.parse(await (await server.call("/ledger/head")).json());
    expect(head).toEqual({ seq: 0, hash: "0".repeat(64), at: null });
    expect(await page()).toEqual({ entries: [], next_after: null, head });
    expect((await download()).lines).toEqual([]);
  });

  it("is read page by page", async () => {
    await finished(5);
    await append();
    const first = await page("?limit=2");
    expect(first.entries.map(({ record }) => record.seq)).toEqual([1, 2]);
    expect(first).toMatchObject({ next_after: 2, head: { seq: 5 } });
    const last = await page("?after=4&limit=2");
    expect(last.entries.map(({ record }) => record.seq)).toEqual([5]);
    expect(last.next_after).toBeNull();
    expect((await page("?after=99")).entries).toEqual([]);
  });

  it.each(["?after=-1", "?after=x", "?limit=0", "?limit=1.5"])("refuses %s", async (query) => {
    expect((await server.call(`/ledger${query}`)).status).toBe(422);
  });

  it("hides the figures of an analysis that can still be traded on, and shows those of a resolved one", async () => {
    await finished(2);
    await append();
    await resolve(1);
    await append();
    const { answer, lines } = await download();
    expect(answer.headers.get("Content-Disposition")).toContain("ledger.ndjson");
    const entries = lines.map((line) => ledgerEntrySchema.parse(JSON.parse(line)));
    expect(entries.map(({ reveal }) => reveal?.figures.entry)).toEqual([
      100.25,
      undefined,
      undefined,
    ]);
    expect(lines[1]).not.toContain("100.25");
    expect((await page()).entries).toEqual(entries);

    const verifier = createLedgerVerifier();
    for (const line of lines) verifier.add(line);
    expect(verifier.finish()).toMatchObject({ fault: null, tally: { outcomes: { LOSS: 1 } } });
  });

  it("is streamed whole, however long it is", async () => {
    await finished(601);
    await append();
    expect((await download()).lines).toHaveLength(601);
  });

  it("lets its head be cached for some seconds", async () => {
    const answer = await server.call("/ledger/head");
    expect(answer.headers.get("Cache-Control")).toBe("public, max-age=5");
  });

  it("is not changed when an administrator clears a history", async () => {
    await finished(2);
    await append();
    const before = await page();
    await asAdmin(`/admin/delete-signal-history/${ann.username}`);
    await append();
    expect(await page()).toEqual(before);
  });

  it("keeps no trace of a deleted user, and all results", async () => {
    const signals = await finished(3);
    await append();
    await resolve(2);
    await append();
    expect((await asAdmin(`/admin/delete-user/${ann.username}`)).status).toBe(200);
    await append();
    const { lines } = await download();
    expect(lines).toHaveLength(4);
    const names = ["ledger", "ledgerReveals", "marketAnalyses", "signals"] as const;
    const stored = await Promise.all(
      names.map((name) => server.database[name].collection.find().toArray()),
    );
    const text = JSON.stringify(stored);
    for (const trace of [ann._id, ann.username, ann.email, ...signals.map(({ _id }) => _id)])
      expect(text).not.toContain(trace.toString());
    const outcomes = await server.database.marketAnalyses.find({ outcome: "LOSS" }).lean();
    expect(outcomes).toMatchObject([{ ledgerSeq: 2, resolution: { r_multiple: -1.1 } }]);
  });
});
