import { DAY_MS, MAX_REFUSAL_REFUNDS } from "@shared/contract/constants.ts";
import { eventSchemas } from "@shared/contract/events/event-data.ts";
import { type Database, openDatabase } from "@shared/database/database.ts";
import type { SignalRecord } from "@shared/database/models/signal.ts";
import type { UserRecord } from "@shared/database/models/user.ts";
import { userStream } from "@shared/outbox/streams.ts";
import { groupBy } from "@shared/stats/intervals.ts";
import { createUser } from "@shared/testing/factories.ts";
import {
  createSignals,
  runResult,
  startRun,
  WAIT_ANALYSIS,
} from "@shared/testing/signal-factory.ts";
import { testDatabaseUri } from "@shared/testing/test-mongo.ts";
import { Types } from "mongoose";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { z } from "zod";
import {
  type AnalysisRun,
  finishOtherSignals,
  finishRun,
  MAX_SIGNALS,
  type RunResult,
  startOtherSignals,
} from "./signal-lifecycle.ts";

const RESULT: RunResult = {
  ...runResult(),
  candles: [],
  usage: { model: "rules", promptTokens: 0, completionTokens: 0, costUsd: 0 },
};

const signalDataSchema = z.object({ signal_id: z.string() });
const signalIdOf = (data: unknown): string => signalDataSchema.parse(data).signal_id;
const ownerOf = (stream: string, signalId: string): string => `${stream} ${signalId}`;

describe("runs of many analyses at once", () => {
  let database: Database;
  let users: UserRecord[];

  beforeAll(async () => {
    database = await openDatabase({ uri: testDatabaseUri() });
    users = await Promise.all(Array.from({ length: 12 }, () => createUser(database)));
  });
  afterAll(() => database.close());

  const queued = async (
    user: UserRecord,
    options: Partial<SignalRecord> & { count?: number } = {},
  ): Promise<SignalRecord> => {
    const unfinished = { status: "queued", revision: 0, ...options } as const;
    const [signal] = await createSignals(database, user, unfinished);
    if (!signal) throw new Error("there is no signal");
    return signal;
  };
  const queuedForAll = () => Promise.all(users.map((user) => queued(user)));
  const started = async (
    signal: SignalRecord,
  ): Promise<{ signal: SignalRecord; run: AnalysisRun }> => {
    const run = await startRun(database, signal);
    if (!run) throw new Error("the analysis could not be started");
    return { signal, run };
  };
  const stored = ({ _id }: SignalRecord) => database.signals.findById(_id).lean();
  /** The names of the events of each, in its own user's stream, in one read. */
  const eventsOfEach = async (signals: readonly SignalRecord[]): Promise<string[][]> => {
    const stream = { $in: signals.map(({ userId }) => userStream(userId)) };
    const events = await database.events.find({ stream }).sort({ seq: 1 }).lean();
    const byOwner = groupBy(events, (event) => ownerOf(event.stream, signalIdOf(event.data)));
    return signals.map(({ _id, userId }) =>
      (byOwner.get(ownerOf(userStream(userId), String(_id))) ?? []).map(({ name }) => name),
    );
  };
  const eventsOf = async (signal: SignalRecord) => (await eventsOfEach([signal])).flat();

  it("start each analysis once, with an event for its own trader", async () => {
    const signals = await queuedForAll();
    const claims = await Promise.all(signals.map(started));
    expect(claims.map(({ run: { _id, status, revision } }) => ({ _id, status, revision }))).toEqual(
      signals.map(({ analysisId: _id }) => ({ _id, status: "running", revision: 1 })),
    );
    expect(await eventsOfEach(signals)).toEqual(signals.map(() => ["signal:started"]));
  });

  it("of one analysis get a new revision each", async () => {
    const signal = await queued(await createUser(database));
    const runs = await Promise.all([startRun(database, signal), startRun(database, signal)]);
    expect(runs.map((run) => run?.revision).sort()).toEqual([1, 2]);
    expect(await eventsOf(signal)).toEqual(["signal:started", "signal:started"]);
  });

  it("do not start finished analyses, but the others", async () => {
    const [finished, ...others] = await queuedForAll();
    if (!finished) throw new Error("there is no signal");
    await finishRun(database, (await started(finished)).run, RESULT);
    const claims = await Promise.all([finished, ...others].map((one) => startRun(database, one)));
    expect(claims.map((claim) => claim !== null)).toEqual([false, ...others.map(() => true)]);
  });

  it("finish their analyses, but not one that another run has taken over", async () => {
    const claims = await Promise.all((await queuedForAll()).map(started));
    const [lost] = claims;
    if (!lost) throw new Error("there is no claim");
    await started(lost.signal);
    const ended = await Promise.all(claims.map(({ run }) => finishRun(database, run, RESULT)));
    expect(ended).toEqual(claims.map((claim) => claim !== lost));
    expect(await stored(lost.signal)).toMatchObject({ status: "running", revision: 2 });
    expect(await database.analysisCandles.exists({ _id: lost.run._id })).toBeNull();
    for (const { signal, run } of claims.slice(1)) {
      const { confidence } = WAIT_ANALYSIS;
      expect(await stored(signal)).toMatchObject({ status: "completed", analysis: { confidence } });
      expect(await eventsOf(signal)).toEqual(["signal:started", "signal:completed"]);
      expect(await database.analysisCandles.exists({ _id: run._id })).not.toBeNull();
    }
  });

  it("finish their analyses once, however often they try", async () => {
    const claims = await Promise.all((await queuedForAll()).map(started));
    const finishAll = () => Promise.all(claims.map(({ run }) => finishRun(database, run, RESULT)));
    expect(await finishAll()).toEqual(claims.map(() => true));
    expect(await finishAll()).toEqual(claims.map(() => false));
  });

  /** Signals of one analysis; there are more than one transaction takes. */
  const queueShared = async (): Promise<SignalRecord[]> => {
    const first = await queued(await createUser(database));
    const { analysisId } = first;
    const others = await Promise.all(
      users.map(async (user, index) => {
        const count = Math.ceil(MAX_SIGNALS / users.length) + (index === 0 ? 7 : 0);
        const shared = { analysisId, count, status: "queued", revision: 0 } as const;
        return createSignals(database, user, { ...shared, withAnalysis: false });
      }),
    );
    return [first, ...others.flat()];
  };

  it("start and finish all signals of an analysis, each user's with their own size", async () => {
    const signals = await queueShared();
    const [first] = signals;
    if (!first) throw new Error("there is no signal");
    await database.signals.updateOne({ _id: first._id }, { $set: { amount: 5_000 } });
    const { run } = await started(first);
    await startOtherSignals(database, [run]);
    expect(await eventsOfEach(signals)).toEqual(signals.map(() => ["signal:started"]));
    const levels = { final_signal: "BUY", entry: 100, stop_loss: 90, take_profit: 120 } as const;
    const bought = runResult("completed", { ...WAIT_ANALYSIS, ...levels });
    await database.jobs.collection.insertOne({ _id: run._id });
    expect(await finishRun(database, run, bought)).toBe(true);
    const finished = await database.signals.find({ analysisId: run._id }).lean();
    expect(finished.map(({ status }) => status)).toEqual(signals.map(() => "completed"));
    const unitsOf = (amount: number) =>
      new Set(
        finished.filter((one) => one.amount === amount).map((one) => one.analysis?.suggested_units),
      );
    expect(unitsOf(5_000)).toEqual(new Set([5]));
    expect(unitsOf(100)).toEqual(new Set([0.1]));
    const origin = { analysis_id: String(run._id), analysed_at: expect.any(String) };
    expect(finished[0]?.analysis?.source).toMatchObject(origin);
    const both = ["signal:started", "signal:completed"];
    expect(await eventsOfEach(signals)).toEqual(signals.map(() => both));
    expect(await database.jobs.exists({ _id: run._id })).toBeNull();
    const left = await database.users.find({ unfinishedSignals: { $gt: 0 }, _id: first.userId });
    expect(left).toEqual([]);
  });

  it("leave their job until the last signal is finished, which any worker can do", async () => {
    const signals = await queueShared();
    const [first, ...others] = signals;
    if (!first) throw new Error("there is no signal");
    const { run } = await started(first);
    await finishRun(database, run, RESULT);
    // As after a crash between two transactions.
    const cutOff = others.slice(0, 3).map(({ _id }) => _id);
    await database.signals.updateMany({ _id: { $in: cutOff } }, { $set: { status: "running" } });
    await database.jobs.collection.insertOne({ _id: run._id });
    await finishOtherSignals(database, run._id);
    expect(await database.signals.countDocuments({ analysisId: run._id, status: "running" })).toBe(
      0,
    );
    expect(await database.jobs.exists({ _id: run._id })).toBeNull();
  });

  it("leave no job of an analysis that does not exist", async () => {
    const _id = new Types.ObjectId();
    await database.jobs.collection.insertOne({ _id });
    await finishOtherSignals(database, _id);
    expect(await database.jobs.exists({ _id })).toBeNull();
  });

  it("that fail free the key, so that the next request tries again", async () => {
    const signal = await queued(await createUser(database));
    const key = `key of ${signal._id}`;
    await database.marketAnalyses.updateOne({ _id: signal.analysisId }, { $set: { key } });
    const { run } = await started(signal);
    await finishRun(database, run, runResult("failed"));
    expect(await eventsOf(signal)).toEqual(["signal:started", "signal:failed"]);
    expect(await database.marketAnalyses.exists({ key })).toBeNull();
  });
});

describe("refund credits", () => {
  const CHARGED =
    "The image credit was not refunded: chart images that the model declines are refunded at most 3 times a day.";
  const failure = runResult("failed");
  const refusal: RunResult = { ...failure, isRefusal: true };
  const START_OF_DAY_MS = Math.floor(Date.now() / DAY_MS) * DAY_MS;
  beforeAll(() => {
    vi.useFakeTimers({ toFake: ["Date"], now: START_OF_DAY_MS + DAY_MS / 2 });
  });
  afterAll(() => {
    vi.useRealTimers();
  });

  describe("the refunds of refused chart images", () => {
    let here: Database;
    let elsewhere: Database;
    beforeAll(async () => {
      const uri = testDatabaseUri();
      here = await openDatabase({ uri });
      elsewhere = await openDatabase({ uri });
    });
    afterAll(() => Promise.all([here.close(), elsewhere.close()]));

    /** Runs of image analyses of a user that workers have started. */
    const startedRuns = async (user: UserRecord, count: number) => {
      const unfinished = { status: "queued", revision: 0 } as const;
      const signals = await createSignals(here, user, {
        count,
        ...unfinished,
        chartImageId: new Types.ObjectId(),
      });
      const runs = await Promise.all(signals.map((signal) => startRun(here, signal)));
      return runs.flatMap((run) => run ?? []);
    };
    const finish = async (user: UserRecord, end = refusal) => {
      const [run] = await startedRuns(user, 1);
      if (!run) throw new Error("there is no run");
      expect(await finishRun(here, run, end)).toBe(true);
    };
    const balanceOf = async ({ _id }: UserRecord) =>
      (await here.users.findById(_id).lean())?.imageCredits;
    const refundsOf = ({ _id: userId }: UserRecord) =>
      here.creditEntries.find({ userId, kind: "refund" }).sort({ _id: 1 }).lean();
    const chargedSignals = async ({ _id: userId }: UserRecord) => {
      const signals = await here.signals.find({ userId, "analysis.warnings": CHARGED }).lean();
      return signals.map(({ _id }) => _id.toString());
    };
    const chargedEvents = async ({ _id }: UserRecord) => {
      const events = await here.events
        .find({ stream: userStream(_id), name: "signal:failed" })
        .lean();
      const signals = events.map(({ data }) => eventSchemas["signal:failed"].parse(data));
      return signals
        .filter(({ analysis }) => analysis?.warnings.includes(CHARGED))
        .map(({ signal_id }) => signal_id);
    };

    it("are three when four finish at once in two workers, and the fourth says that it is charged", async () => {
      for (let round = 0; round < 3; round += 1) {
        const user = await createUser(here);
        const runs = await startedRuns(user, 4);
        const finished = await Promise.all(
          runs.map((run, index) => finishRun(index % 2 === 0 ? here : elsewhere, run, refusal)),
        );
        expect(finished).toEqual([true, true, true, true]);
        expect(await balanceOf(user)).toBe(3);
        expect(await refundsOf(user)).toHaveLength(MAX_REFUSAL_REFUNDS);
        const charged = await chargedSignals(user);
        expect(charged).toHaveLength(1);
        expect(await chargedEvents(user)).toEqual(charged);
      }
    });

    it("are three one after the other, of each user", async () => {
      const one = await createUser(here);
      const other = await createUser(here);
      for (let refused = 1; refused <= 5; refused += 1) {
        await finish(one);
        expect(await balanceOf(one)).toBe(Math.min(refused, 3));
        expect(await chargedSignals(one)).toHaveLength(Math.max(0, refused - 3));
      }
      await finish(other);
      expect(await balanceOf(other)).toBe(1);
      expect(await chargedSignals(other)).toEqual([]);
      const why = "The model declined a chart image of BTC/USDT. At most 3 are refunded a day.";
      expect(await refundsOf(other)).toMatchObject([{ why, isRefusal: true, by: "system" }]);
    });

    it("have no limit for other failures, which do not count", async () => {
      const user = await createUser(here);
      for (let failed = 0; failed < 4; failed += 1) await finish(user, failure);
      for (let refused = 0; refused < 4; refused += 1) await finish(user);
      await finish(user, failure);
      expect(await balanceOf(user)).toBe(4 + 3 + 1);
      expect(await chargedSignals(user)).toHaveLength(1);
    });

    it("start again each day in UTC", async () => {
      const user = await createUser(here);
      for (let refused = 0; refused < 4; refused += 1) await finish(user);
      const { _id: userId } = user;
      const refundedAt = (atMs: number) =>
        here.creditEntries.updateMany({ userId }, { $set: { at: new Date(atMs) } });
      await refundedAt(START_OF_DAY_MS - 1);
      await finish(user);
      expect(await balanceOf(user)).toBe(4);
      await refundedAt(START_OF_DAY_MS);
      await finish(user);
      expect(await balanceOf(user)).toBe(4);
    });
  });
});
