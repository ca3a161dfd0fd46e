import { createUser } from "@shared/testing/factories.ts";
import { createSignals, WAIT_ANALYSIS } from "@shared/testing/signal-factory.ts";
import { testDatabaseUri } from "@shared/testing/test-mongo.ts";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Database, openDatabase } from "../database.ts";
import type { SignalRecord } from "../models/signal.ts";
import type { UserRecord } from "../models/user.ts";
import { userStream } from "../streams.ts";
import { finishSignal, startSignal } from "./signal-transitions.ts";

const COMPLETED = {
  status: "completed",
  analysis: WAIT_ANALYSIS,
  candles: [],
  usage: { model: "rules", promptTokens: 0, completionTokens: 0, costUsd: 0 },
} as const;
const RESULT = { ...COMPLETED, candles: [...COMPLETED.candles] };

describe("signals of many traders at once", () => {
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
    const claim = await startSignal(database, signal);
    if (!claim) throw new Error("the signal could not be started");
    return claim;
  };
  const stored = async ({ _id }: SignalRecord) => database.signals.findById(_id).lean();
  const toldOf = async (signal: SignalRecord) => {
    const stream = userStream(signal.userId);
    const events = await database.events.find({ stream, "data.signal_id": String(signal._id) });
    return events.map(({ name }) => name);
  };

  it("are started together, each once and told to its own trader", async () => {
    const signals = await queuedForAll();
    const claims = await Promise.all(signals.map(started));
    expect(claims.map(({ _id, status, revision }) => ({ _id, status, revision }))).toEqual(
      signals.map(({ _id }) => ({ _id, status: "running", revision: 1 })),
    );
    for (const signal of signals) expect(await toldOf(signal)).toEqual(["signal:started"]);
  });

  it("are left to the first of two runs that start one of them at the same moment", async () => {
    const [first, ...others] = await queuedForAll();
    if (!first) throw new Error("there is no signal");
    const twice = [...others, { ...first }, { ...first }];
    const claims = await Promise.all(twice.map((signal) => startSignal(database, signal)));
    expect(claims.map((claim) => claim?.revision)).toEqual([...others.map(() => 1), 1, undefined]);
    expect(await toldOf(first)).toEqual(["signal:started"]);
  });

  it("are not started when they are finished, and the others are", async () => {
    const [finished, ...others] = await queuedForAll();
    if (!finished) throw new Error("there is no signal");
    await finishSignal(database, await started(finished), RESULT);
    const claims = await Promise.all(
      [finished, ...others].map((one) => startSignal(database, one)),
    );
    expect(claims.map((claim) => claim !== null)).toEqual([false, ...others.map(() => true)]);
  });

  it("are ended together, but for those that another run has taken over", async () => {
    const claims = await Promise.all((await queuedForAll()).map(started));
    const [lost] = claims;
    if (!lost) throw new Error("there is no claim");
    await started(lost);
    const ended = await Promise.all(claims.map((claim) => finishSignal(database, claim, RESULT)));
    expect(ended).toEqual(claims.map((claim) => claim !== lost));
    expect(await stored(lost)).toMatchObject({ status: "running", revision: 2 });
    expect(await database.signalCandles.exists({ _id: lost._id })).toBeNull();
    for (const claim of claims.slice(1)) {
      expect(await stored(claim)).toMatchObject({ status: "completed", analysis: WAIT_ANALYSIS });
      expect(await toldOf(claim)).toEqual(["signal:started", "signal:completed"]);
      expect(await database.signalCandles.exists({ _id: claim._id })).not.toBeNull();
    }
  });

  it("are ended once, however often a run is said to have ended", async () => {
    const claims = await Promise.all((await queuedForAll()).map(started));
    const finishAll = () =>
      Promise.all(claims.map((claim) => finishSignal(database, claim, RESULT)));
    expect(await finishAll()).toEqual(claims.map(() => true));
    expect(await finishAll()).toEqual(claims.map(() => false));
  });
});
