import { DEFAULT_TRADING_COSTS, resolutionSchema } from "@shared/contract/resolution.ts";
import type { Analysis, Outcome } from "@shared/contract/signal.ts";
import { type Database, openDatabase } from "@shared/database/database.ts";
import type { SignalRecord } from "@shared/database/models/signal.ts";
import type { UserRecord } from "@shared/database/models/user.ts";
import {
  publicAudience,
  readLedgerEntries,
  readLedgerHead,
  verifyDatabase,
} from "@shared/domain/ledger.ts";
import { commit } from "@shared/outbox/commit.ts";
import { userStream } from "@shared/outbox/streams.ts";
import { AppError } from "@shared/runtime/app-error.ts";
import { createUser } from "@shared/testing/factories.ts";
import { createSignals, WAIT_ANALYSIS } from "@shared/testing/signal-factory.ts";
import { testDatabaseUri } from "@shared/testing/test-mongo.ts";
import { Types } from "mongoose";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { deleteSignals } from "../../../server/src/modules/users/clear-history.ts";
import { appendRecords } from "./append-records.ts";

const COLLECTIONS = [
  "signals",
  "marketAnalyses",
  "ledger",
  "ledgerReveals",
  "ledgerHeads",
] as const;
const START_MS = Date.UTC(2025, 0, 31);
const BUY: Analysis = {
  ...WAIT_ANALYSIS,
  final_signal: "BUY",
  entry: 100.25,
  stop_loss: 98,
  take_profit: 104.5,
  confidence: 71,
  warnings: ["Position cut to fit the amount of 4321 USD."],
  raw_ai: { ...WAIT_ANALYSIS.raw_ai, rationale: "As your picture shows." },
  source: { ...WAIT_ANALYSIS.source, data: "live", analyst_version: "rules/1" },
};

let database: Database;
let second: Database;
let user: UserRecord;
const now = () => new Date();

beforeAll(async () => {
  const uri = testDatabaseUri();
  database = await openDatabase({ uri });
  second = await openDatabase({ uri });
});
afterAll(async () => {
  await database.close();
  await second.close();
});
beforeEach(async () => {
  for (const collection of COLLECTIONS) await database[collection].collection.deleteMany({});
  user = await createUser(database, { approved: true });
});

const finished = (secondsAfter: number, overrides: Parameters<typeof createSignals>[2] = {}) =>
  createSignals(database, user, {
    analysis: BUY,
    amount: 4_321,
    finishedAt: new Date(START_MS + secondsAfter * 1_000),
    ...overrides,
  });

async function one(signals: Promise<SignalRecord[]>): Promise<SignalRecord> {
  const [signal] = await signals;
  if (!signal) throw new Error("no signal was made");
  return signal;
}

/** Goes on until nothing is left, as a worker does: who had to give way to another tries again. */
async function appendAll(on = database): Promise<number> {
  for (let total = 0; ; ) {
    try {
      const appended = await appendRecords({ database: on, now });
      if (appended === 0) return total;
      total += appended;
    } catch (error) {
      if (!(error instanceof AppError) || error.code !== "unavailable") throw error;
    }
  }
}

const clear = (signals: SignalRecord[]) =>
  commit(database, { lockKeys: userStream(user._id) }, (uow) =>
    deleteSignals(
      database,
      uow,
      user._id,
      signals.map(({ _id }) => _id),
    ),
  );

function resolution(outcome: Outcome) {
  return resolutionSchema.parse({
    outcome,
    reason: outcome === "WIN" ? "target" : "stop",
    resolved_at: new Date().toISOString(),
    filled_at: new Date().toISOString(),
    fill: 100.25,
    exited_at: new Date().toISOString(),
    exit: 104.5,
    r_multiple: outcome === "WIN" ? 1.8 : -1.1,
    max_favourable_r: 2,
    max_adverse_r: 0.4,
    costs: DEFAULT_TRADING_COSTS.crypto,
  });
}

/** As the resolver does it, which knows nothing of the ledger but its numbers. */
const resolve = (ledgerSeq: number, outcome: Outcome) =>
  database.marketAnalyses.collection.updateOne(
    { ledgerSeq },
    { $set: { outcome, resolution: resolution(outcome) } },
  );

const all = async () => {
  const head = await readLedgerHead(database);
  return readLedgerEntries(database, {
    after: 0,
    upTo: head.seq,
    limit: 1_000,
    audience: "operator",
  });
};
const published = async (at = now()) => {
  const head = await readLedgerHead(database);
  const audience = publicAudience(head, at);
  return readLedgerEntries(database, { after: 0, upTo: head.seq, limit: 1_000, audience });
};

/** All that is stored of signals, analyses and the ledger, as text. */
async function storedText(): Promise<string> {
  const found = await Promise.all(
    COLLECTIONS.map((name) => database[name].collection.find().toArray()),
  );
  return JSON.stringify(found);
}

describe("appending to the ledger", () => {
  it("records every completed analysis in the order in which they were finished, WAIT too, failed ones not", async () => {
    const third = await one(finished(3));
    const first = await one(finished(1));
    await finished(2, { analysis: WAIT_ANALYSIS });
    await finished(0, { status: "failed" });
    await createSignals(database, user, { status: "running" });
    expect(await appendAll()).toBe(3);
    const entries = await all();
    expect(entries.map(({ record, reveal }) => [record.seq, reveal?.figures.final_signal])).toEqual(
      [
        [1, "BUY"],
        [2, "WAIT"],
        [3, "BUY"],
      ],
    );
    const seqOf = async ({ analysisId }: SignalRecord) =>
      (await database.marketAnalyses.findById(analysisId).lean())?.ledgerSeq;
    expect([await seqOf(first), await seqOf(third)]).toEqual([1, 3]);
    expect((await verifyDatabase(database)).fault).toBeNull();
    expect(await appendAll()).toBe(0);
  });

  it("continues the chain where it ended", async () => {
    await finished(1);
    await appendAll();
    await finished(2, { count: 450 });
    expect(await appendAll()).toBe(450);
    expect(await verifyDatabase(database)).toMatchObject({ fault: null, head: { seq: 451 } });
  });

  it("does not run backwards in time when the clock of another worker is behind", async () => {
    await finished(1);
    await appendRecords({ database, now });
    await finished(2);
    await appendRecords({ database, now: () => new Date(START_MS) });
    expect(await verifyDatabase(database)).toMatchObject({ fault: null, head: { seq: 2 } });
  });

  it("keeps a trade's values sealed until it is resolved, and a WAIT's for a day", async () => {
    await finished(1);
    await finished(2, { analysis: WAIT_ANALYSIS });
    await appendAll();
    expect((await published()).map(({ reveal }) => reveal)).toEqual([null, null]);
    const tomorrow = new Date(Date.now() + 25 * 3_600_000);
    expect((await published(tomorrow)).map(({ reveal }) => reveal === null)).toEqual([true, false]);
    await resolve(1, "LOSS");
    expect(await appendAll()).toBe(1);
    const [analysis, , outcome] = await published();
    expect(analysis?.reveal?.figures).toMatchObject({ symbol: "BTC/USDT", entry: 100.25 });
    expect(outcome?.record).toMatchObject({
      kind: "outcome",
      body: { analysis_seq: 1, outcome: "LOSS", r_multiple: -1.1 },
    });
    expect(await verifyDatabase(database)).toMatchObject({
      fault: null,
      tally: { outcomes: { WIN: 0, LOSS: 1 } },
    });
  });

  it("records each analysis once and without a gap, however many append at the same time", async () => {
    await finished(1, { count: 700 });
    const totals = await Promise.all([
      appendAll(),
      appendAll(second),
      appendAll(),
      appendAll(second),
    ]);
    expect(totals.reduce((sum, count) => sum + count)).toBe(700);
    expect(await verifyDatabase(database)).toMatchObject({ fault: null, head: { seq: 700 } });
    const numbers = await database.marketAnalyses.distinct("ledgerSeq");
    expect(numbers).toHaveLength(700);
  });
});

describe("an analysis with many signals", () => {
  it("has one record and one outcome", async () => {
    const [first] = await finished(1);
    const analysisId = first?.analysisId;
    await finished(2, { count: 1_000, withAnalysis: false, ...(analysisId && { analysisId }) });
    await appendAll();
    await resolve(1, "WIN");
    await appendAll();
    expect(await verifyDatabase(database)).toMatchObject({
      fault: null,
      head: { seq: 2 },
      tally: { analyses: { live: 1 }, outcomes: { WIN: 1, LOSS: 0 } },
    });
  });
});

describe("clearing a history", () => {
  it("changes no record, and keeps an analysis that is not recorded yet", async () => {
    const signals = await finished(1, { count: 3 });
    await appendAll();
    await resolve(1, "LOSS");
    await appendAll();
    const before = await all();
    const late = await finished(2);
    await clear([...signals, ...late]);
    expect(await appendAll()).toBe(1);
    await resolve(2, "LOSS");
    expect(await appendAll()).toBe(1);
    expect((await all()).slice(0, before.length)).toEqual(before);
    expect(await verifyDatabase(database)).toMatchObject({
      fault: null,
      tally: { analyses: { live: 4 }, outcomes: { WIN: 0, LOSS: 2 } },
    });
  });

  it("leaves nothing of the trader, nor the words about their chart image", async () => {
    const chartImageId = new Types.ObjectId();
    const signals = await finished(1, { count: 2, chartImageId });
    await appendAll();
    await clear(signals);
    const text = await storedText();
    const traces = [user._id, user.username, user.email, chartImageId];
    for (const trace of [...traces, ...signals.map(({ _id }) => _id)])
      expect(text).not.toContain(trace.toString());
    // As words of their own: by chance, a hash may hold the same digits.
    expect(text).not.toMatch(/\b4321\b|your picture/);
    expect(text).toContain("100.25");
  });

  it("deletes an image analysis that is not finished", async () => {
    const chartImageId = new Types.ObjectId();
    await clear(await createSignals(database, user, { status: "running", chartImageId }));
    expect(await database.marketAnalyses.countDocuments()).toBe(0);
  });
});

it("the database's own ledger is found out when a record in it was edited, removed, or cut off", async () => {
  await finished(1, { count: 5 });
  await appendAll();
  const kept = await database.ledger.collection.find().toArray();
  const restore = async () => {
    await database.ledger.collection.deleteMany({});
    await database.ledger.collection.insertMany(kept);
  };
  const faultAfter = async (query: { seq: number; set?: object }) => {
    const { seq: _id, set } = query;
    if (set) await database.ledger.updateOne({ _id }, { $set: set });
    else await database.ledger.deleteOne({ _id });
    const { fault } = await verifyDatabase(database);
    await restore();
    return fault;
  };
  const at = "2030-01-01T00:00:00.000Z";
  expect(await faultAfter({ seq: 3, set: { at } })).toMatchObject({ seq: 3, reason: "hash" });
  expect(await faultAfter({ seq: 3 })).toMatchObject({ seq: 3, reason: "gap" });
  expect(await faultAfter({ seq: 5 })).toMatchObject({ seq: 5, reason: "truncated" });
  await database.ledgerReveals.updateOne({ _id: 2 }, { $set: { "figures.entry": 1 } });
  expect((await verifyDatabase(database)).fault).toMatchObject({ seq: 2, reason: "reveal" });
});
