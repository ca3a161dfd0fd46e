import { userStream } from "@shared/outbox/streams.ts";
import { createUser } from "@shared/testing/factories.ts";
import { createSignals, startRun, WAIT_ANALYSIS } from "@shared/testing/signal-factory.ts";
import { testDatabaseUri } from "@shared/testing/test-mongo.ts";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Database, openDatabase } from "../database.ts";
import type { SignalRecord } from "../models/signal.ts";
import type { UserRecord } from "../models/user.ts";
import { finishRun } from "./signal-lifecycle.ts";

const COMPLETED = {
  status: "completed",
  analysis: WAIT_ANALYSIS,
  candles: [],
  usage: { model: "rules", promptTokens: 0, completionTokens: 0, costUsd: 0 },
} as const;
const RESULT = { ...COMPLETED, candles: [...COMPLETED.candles] };

describe("runs of many signals at once", () => {
  let database: Database;
  let users: UserRecord[];

  beforeAll(async () => {
    database = await openDatabase({ uri: testDatabaseUri() });
    users = await Promise.all(Array.from({ length: 12 }, () => createUser(database)));
  });
  afterAll(() => database.close());

  const queued = async (user: UserRecord): Promise<SignalRecord> => {
    const unfinished = { status: "queued", revision: 0 } as const;
    const [signal] = await createSignals(database, user, unfinished);
    if (!signal) throw new Error("there is no signal");
    // The factory gives each its candles, which a run is to bring.
    await database.signalCandles.deleteOne({ _id: signal._id });
    return signal;
  };
  const queuedForAll = () => Promise.all(users.map(queued));
  const started = async (signal: SignalRecord): Promise<SignalRecord> => {
    const claim = await startRun(database, signal);
    if (!claim) throw new Error("the signal could not be started");
    return claim;
  };
  const stored = async ({ _id }: SignalRecord) => database.signals.findById(_id).lean();
  const eventsOf = async (signal: SignalRecord) => {
    const stream = userStream(signal.userId);
    const events = await database.events.find({ stream, "data.signal_id": String(signal._id) });
    return events.map(({ name }) => name);
  };

  it("start each signal once, with an event for its own trader", async () => {
    const signals = await queuedForAll();
    const claims = await Promise.all(signals.map(started));
    expect(claims.map(({ _id, status, revision }) => ({ _id, status, revision }))).toEqual(
      signals.map(({ _id }) => ({ _id, status: "running", revision: 1 })),
    );
    for (const signal of signals) expect(await eventsOf(signal)).toEqual(["signal:started"]);
  });

  it("of one signal get a new revision each", async () => {
    const [signal] = await queuedForAll();
    if (!signal) throw new Error("there is no signal");
    const runs = await Promise.all([startRun(database, signal), startRun(database, signal)]);
    expect(runs.map((run) => run?.revision).sort()).toEqual([1, 2]);
    expect(await eventsOf(signal)).toEqual(["signal:started", "signal:started"]);
  });

  it("do not start finished signals, but the others", async () => {
    const [finished, ...others] = await queuedForAll();
    if (!finished) throw new Error("there is no signal");
    await finishRun(database, await started(finished), RESULT);
    const claims = await Promise.all([finished, ...others].map((one) => startRun(database, one)));
    expect(claims.map((claim) => claim !== null)).toEqual([false, ...others.map(() => true)]);
  });

  it("finish their signals, but not one that another run has taken over", async () => {
    const claims = await Promise.all((await queuedForAll()).map(started));
    const [lost] = claims;
    if (!lost) throw new Error("there is no claim");
    await started(lost);
    const ended = await Promise.all(claims.map((claim) => finishRun(database, claim, RESULT)));
    expect(ended).toEqual(claims.map((claim) => claim !== lost));
    expect(await stored(lost)).toMatchObject({ status: "running", revision: 2 });
    expect(await database.signalCandles.exists({ _id: lost._id })).toBeNull();
    for (const claim of claims.slice(1)) {
      expect(await stored(claim)).toMatchObject({ status: "completed", analysis: WAIT_ANALYSIS });
      expect(await eventsOf(claim)).toEqual(["signal:started", "signal:completed"]);
      expect(await database.signalCandles.exists({ _id: claim._id })).not.toBeNull();
    }
  });

  it("finish their signals once, however often they try", async () => {
    const claims = await Promise.all((await queuedForAll()).map(started));
    const finishAll = () => Promise.all(claims.map((claim) => finishRun(database, claim, RESULT)));
    expect(await finishAll()).toEqual(claims.map(() => true));
    expect(await finishAll()).toEqual(claims.map(() => false));
  });
});
