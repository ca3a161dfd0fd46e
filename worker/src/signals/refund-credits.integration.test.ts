import { MAX_REFUSAL_REFUNDS } from "@shared/contract/constants.ts";
import { eventSchemas } from "@shared/contract/events.ts";
import { type Database, openDatabase } from "@shared/database/database.ts";
import type { UserRecord } from "@shared/database/models/user.ts";
import { userStream } from "@shared/outbox/streams.ts";
import { createUser } from "@shared/testing/factories.ts";
import { createSignals, runResult, startRun } from "@shared/testing/signal-factory.ts";
import { testDatabaseUri } from "@shared/testing/test-mongo.ts";
import { Types } from "mongoose";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { finishRun, type RunResult } from "./signal-lifecycle.ts";

const CHARGED =
  "The image credit was not refunded: chart images without a usable answer are refunded at most 3 times a day.";
const failure = runResult("failed");
const refusal: RunResult = { ...failure, isRefusal: true };
const YESTERDAY_MS = Date.parse(new Date().toISOString().slice(0, 10)) - 1;

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
      ...{ count, ...unfinished, chartImageId: new Types.ObjectId() },
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
    for (let round = 0; round < 8; round += 1) {
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
    const [one, other] = [await createUser(here), await createUser(here)];
    for (let refused = 1; refused <= 5; refused += 1) {
      await finish(one);
      expect(await balanceOf(one)).toBe(Math.min(refused, 3));
      expect(await chargedSignals(one)).toHaveLength(Math.max(0, refused - 3));
    }
    await finish(other);
    expect(await balanceOf(other)).toBe(1);
    expect(await chargedSignals(other)).toEqual([]);
    const why =
      "The model gave no usable answer to a chart image of BTC/USDT. At most 3 are refunded a day.";
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
    await here.creditEntries.updateMany({ userId }, { $set: { at: new Date(YESTERDAY_MS) } });
    await finish(user);
    expect(await balanceOf(user)).toBe(4);
    await here.creditEntries.updateMany({ userId }, { $set: { at: new Date(YESTERDAY_MS + 1) } });
    await finish(user);
    expect(await balanceOf(user)).toBe(4);
  });
});
