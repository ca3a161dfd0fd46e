import { judgementSchema } from "@shared/contract/judgement.ts";
import { ledgerProofSchema } from "@shared/contract/ledger.ts";
import { commitTo } from "@shared/contract/ledger-hash.ts";
import type { Analysis, Outcome } from "@shared/contract/signal.ts";
import { commit } from "@shared/outbox/commit.ts";
import { userStream } from "@shared/outbox/streams.ts";
import { createUser } from "@shared/testing/factories.ts";
import { createSignals, WAIT_ANALYSIS } from "@shared/testing/signal-factory.ts";
import { testDatabaseUri } from "@shared/testing/test-mongo.ts";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { AppError } from "../app-error.ts";
import { type Database, openDatabase } from "../database.ts";
import type { SignalRecord } from "../models/signal.ts";
import type { UserRecord } from "../models/user.ts";
import { removeSignals } from "../signals/remove-signals.ts";
import { DEFAULT_TRADING_COSTS } from "../trading-costs.ts";
import { appendPending } from "./append-pending.ts";
import { privateContentOf } from "./describe-signal.ts";
import { everybody, readEntries, readHead } from "./read-ledger.ts";
import { verifyDatabase } from "./verify-database.ts";

const START_MS = Date.UTC(2025, 0, 31);
const BUY: Analysis = {
  ...WAIT_ANALYSIS,
  final_signal: "BUY",
  entry: 100.25,
  stop_loss: 98,
  take_profit: 104.5,
  confidence: 71,
  warnings: ["Position cut to fit the amount of 4321 USD."],
  suggested_units: 43.21,
  estimated_dollar_risk: 97.31,
  required_margin: 4_331.8,
  raw_ai: { ...WAIT_ANALYSIS.raw_ai, rationale: "As your picture shows." },
  source: { ...WAIT_ANALYSIS.source, data: "live", analyst_version: "rules/1" },
};

let database: Database;
let second: Database;
let user: UserRecord;
const now = () => new Date();

beforeAll(async () => {
  const uri = testDatabaseUri("ledger");
  database = await openDatabase({ uri });
  second = await openDatabase({ uri });
});
afterAll(async () => {
  await database.close();
  await second.close();
});
beforeEach(async () => {
  for (const collection of [
    "signals",
    "clearedSignals",
    "ledger",
    "ledgerReveals",
    "ledgerHeads",
  ] as const)
    await database[collection].collection.deleteMany({});
  user = await createUser(database, { approved: true });
});

const finished = (
  secondsAfter: number,
  overrides: Partial<SignalRecord> & { count?: number } = {},
) =>
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
      const appended = await appendPending({ database: on, now });
      if (appended === 0) return total;
      total += appended;
    } catch (error) {
      if (!(error instanceof AppError) || error.code !== "unavailable") throw error;
    }
  }
}

const clear = (signals: SignalRecord[]) =>
  commit(database, { lockKeys: userStream(user._id) }, (uow) =>
    removeSignals(database, uow, { userId: user._id, signalIds: signals.map(({ _id }) => _id) }),
  );

function judgement(outcome: Outcome) {
  return judgementSchema.parse({
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
const judge = (where: "signals" | "clearedSignals", ledgerSeq: number, outcome: Outcome) =>
  database[where].collection.updateOne(
    { ledgerSeq },
    { $set: { outcome, judgement: judgement(outcome) } },
  );

const all = async () => {
  const head = await readHead(database);
  return readEntries(database, { after: 0, upTo: head.seq, limit: 1_000, reader: "operator" });
};
const published = async (at = now()) => {
  const head = await readHead(database);
  const reader = everybody(head, at);
  return readEntries(database, { after: 0, upTo: head.seq, limit: 1_000, reader });
};

/** All that is stored of the ledger and of cleared histories, as text. */
async function storedText(): Promise<string> {
  const collections = ["ledger", "ledgerReveals", "ledgerHeads", "clearedSignals"] as const;
  const found = await Promise.all(
    collections.map((name) => database[name].collection.find().toArray()),
  );
  return JSON.stringify(found);
}

describe("appending to the ledger", () => {
  it("records every completed signal in the order in which they were finished, WAIT too, failed ones not", async () => {
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
    expect(await database.signals.findById(first._id).lean()).toMatchObject({ ledgerSeq: 1 });
    expect(await database.signals.findById(third._id).lean()).toMatchObject({ ledgerSeq: 3 });
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
    await appendPending({ database, now });
    await finished(2);
    await appendPending({ database, now: () => new Date(START_MS) });
    expect(await verifyDatabase(database)).toMatchObject({ fault: null, head: { seq: 2 } });
  });

  it("keeps a trade's figures sealed until it is judged, and a WAIT's for a day", async () => {
    await finished(1);
    await finished(2, { analysis: WAIT_ANALYSIS });
    await appendAll();
    expect((await published()).map(({ reveal }) => reveal)).toEqual([null, null]);
    const tomorrow = new Date(Date.now() + 25 * 3_600_000);
    expect((await published(tomorrow)).map(({ reveal }) => reveal === null)).toEqual([true, false]);
    await judge("signals", 1, "LOSS");
    expect(await appendAll()).toBe(1);
    const [signal, , outcome] = await published();
    expect(signal?.reveal?.figures).toMatchObject({ symbol: "BTC/USDT", entry: 100.25 });
    expect(outcome?.record).toMatchObject({
      kind: "outcome",
      body: { signal_seq: 1, outcome: "LOSS", r_multiple: -1.1 },
    });
    expect(await verifyDatabase(database)).toMatchObject({
      fault: null,
      tally: { outcomes: { WIN: 0, LOSS: 1 } },
    });
  });

  it("keeps what its owner needs to prove that a record is his", async () => {
    const { _id } = await one(finished(1));
    await appendAll();
    const signal = await database.signals.findById(_id).orFail().lean();
    const [entry] = await all();
    const salt = ledgerProofSchema.shape.salt.parse(signal.ledgerSalt);
    expect(entry?.record.body).toMatchObject({
      private_commitment: commitTo(privateContentOf(signal), salt),
    });
  });

  it("records each signal once and without a gap, however many append at the same time", async () => {
    await finished(1, { count: 700 });
    const totals = await Promise.all([
      appendAll(),
      appendAll(second),
      appendAll(),
      appendAll(second),
    ]);
    expect(totals.reduce((sum, count) => sum + count)).toBe(700);
    expect(await verifyDatabase(database)).toMatchObject({ fault: null, head: { seq: 700 } });
    const numbers = await database.signals.distinct("ledgerSeq");
    expect(numbers).toHaveLength(700);
  });
});

describe("clearing a history", () => {
  it("leaves a tombstone, and nothing of the trader", async () => {
    const signals = await finished(1, { count: 2 });
    await finished(2);
    await appendAll();
    await clear(signals);
    expect(await appendAll()).toBe(1);
    const last = (await all()).at(-1);
    expect(last?.record).toMatchObject({ kind: "tombstone", body: { seqs: [1, 2] } });
    expect(await verifyDatabase(database)).toMatchObject({ fault: null, tally: { cleared: 2 } });
    const text = await storedText();
    const traces = [user._id, user.username, user.email, ...signals.map(({ _id }) => _id)];
    for (const trace of traces) expect(text).not.toContain(trace.toString());
    // As words of their own: by chance, a hash may hold the same digits.
    for (const amount of [/\b4321\b/, /43\.21/, /97\.31/, /4331\.8/, /your picture/])
      expect(text).not.toMatch(amount);
  });

  it("does not keep a signal out of the record that was cleared before it was appended", async () => {
    await clear(await finished(1));
    await finished(0);
    expect(await appendAll()).toBe(3);
    const entries = await all();
    expect(entries.map(({ record, reveal }) => [record.kind, reveal?.figures.finished_at])).toEqual(
      [
        ["signal", new Date(START_MS).toISOString()],
        ["signal", new Date(START_MS + 1_000).toISOString()],
        ["tombstone", undefined],
      ],
    );
    expect((await verifyDatabase(database)).fault).toBeNull();
  });

  it("does not keep a loss out of the record that was cleared before it was judged", async () => {
    await clear(await finished(1));
    await appendAll();
    await judge("clearedSignals", 1, "LOSS");
    expect(await appendAll()).toBe(1);
    expect(await verifyDatabase(database)).toMatchObject({
      fault: null,
      tally: { signals: { live: 1 }, outcomes: { WIN: 0, LOSS: 1 }, revealed: 1 },
    });
  });

  it("changes nothing of what the record adds up to", async () => {
    const signals = await finished(1, { count: 4 });
    await appendAll();
    await judge("signals", 1, "LOSS");
    await judge("signals", 2, "WIN");
    await judge("signals", 3, "LOSS");
    await appendAll();
    const before = await verifyDatabase(database);
    await clear(signals);
    await appendAll();
    const after = await verifyDatabase(database);
    expect(after.tally).toEqual({ ...before.tally, cleared: 4 });
    expect(before.tally.outcomes).toEqual({ WIN: 1, LOSS: 2, EXPIRED: 0 });
  });

  it("while signals are being appended records each of them once", async () => {
    const signals = await finished(1, { count: 120 });
    await Promise.all([
      appendAll(second),
      ...[0, 40, 80].map((at) => clear(signals.slice(at, at + 40))),
    ]);
    await appendAll();
    const report = await verifyDatabase(database);
    expect(report).toMatchObject({ fault: null, tally: { signals: { live: 120 }, cleared: 120 } });
  });

  it("drops failed signals without a trace", async () => {
    await clear(await finished(1, { status: "failed" }));
    expect(await appendAll()).toBe(0);
    expect(await storedText()).toBe("[[],[],[],[]]");
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
