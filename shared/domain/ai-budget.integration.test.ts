import { eventSchemas } from "@shared/contract/events/event-data.ts";
import { ADMINS_STREAM } from "@shared/outbox/streams.ts";
import { testDatabaseUri } from "@shared/testing/test-mongo.ts";
import { Types } from "mongoose";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Database, openDatabase } from "../database/database.ts";
import { countAiCost, readAiSpending } from "./ai-budget.ts";

const WORKERS = 4;

describe("what the AI costs in a day", () => {
  let workers: Database[];
  let database: Database;
  let day = Date.parse("2026-03-01T00:00:00Z");
  /** Each test has a day of its own. */
  const newDay = () => {
    day += 86_400_000;
    return new Date(day + 12 * 3_600_000);
  };

  beforeAll(async () => {
    const uri = testDatabaseUri();
    database = await openDatabase({ uri });
    const others = Array.from({ length: WORKERS - 1 }, () => openDatabase({ uri }));
    workers = [database, ...(await Promise.all(others))];
  });
  afterAll(() => Promise.all(workers.map((worker) => worker.close())));

  /** The events of the day that contains `at`, in order. */
  const reachedOn = async (at: Date) => {
    const found = await database.events
      .find({ stream: ADMINS_STREAM, name: "budget:reached", at })
      .sort({ seq: 1 })
      .lean();
    return found.map(({ data }) => eventSchemas["budget:reached"].parse(data));
  };
  const percents = async (at: Date) => (await reachedOn(at)).map(({ percent }) => percent);

  it("adds up exactly, so that ten calls of a tenth use the budget up", async () => {
    const endedAt = newDay();
    for (let call = 0; call < 10; call += 1) {
      expect(await percents(endedAt)).toEqual(call < 8 ? [] : [80]);
      await countAiCost(database, { costUsd: 0.1, endedAt, budgetUsd: 1 });
    }
    expect(await readAiSpending(database, endedAt)).toBe(1);
    expect(await reachedOn(endedAt)).toEqual([
      { percent: 80, spent_usd: 0.8, budget_usd: 1 },
      { percent: 100, spent_usd: 1, budget_usd: 1 },
    ]);
    await countAiCost(database, { costUsd: 5, endedAt, budgetUsd: 1 });
    expect(await readAiSpending(database, endedAt)).toBe(6);
    expect(await percents(endedAt)).toEqual([80, 100]);
  });

  it("reaches both levels with one call that costs more than the budget", async () => {
    const endedAt = newDay();
    await countAiCost(database, { costUsd: 2.5, endedAt, budgetUsd: 2 });
    expect(await reachedOn(endedAt)).toEqual([
      { percent: 80, spent_usd: 2.5, budget_usd: 2 },
      { percent: 100, spent_usd: 2.5, budget_usd: 2 },
    ]);
  });

  it("begins at 0 at midnight UTC, each day with its own events", async () => {
    const before = new Date("2026-06-30T23:59:59.999Z");
    const after = new Date("2026-07-01T00:00:00.000Z");
    await countAiCost(database, { costUsd: 1, endedAt: before, budgetUsd: 1 });
    expect(await readAiSpending(database, before)).toBe(1);
    expect(await readAiSpending(database, after)).toBe(0);
    await countAiCost(database, { costUsd: 0.9, endedAt: after, budgetUsd: 1 });
    expect(await readAiSpending(database, new Date("2026-07-01T23:59:59.999Z"))).toBe(0.9);
    expect(await percents(before)).toEqual([80, 100]);
    expect(await percents(after)).toEqual([80]);
  });

  it("is counted without a budget too, and without events", async () => {
    const endedAt = newDay();
    await countAiCost(database, { costUsd: 0.000_123_456, endedAt });
    await countAiCost(database, { costUsd: 40, endedAt });
    expect(await readAiSpending(database, endedAt)).toBe(40.000_123_456);
    expect(await reachedOn(endedAt)).toEqual([]);
  });

  it("is not counted without the event that belongs to it", async () => {
    const endedAt = newDay();
    const head = await database.streamHeads.findById(ADMINS_STREAM).lean();
    const inTheWay = { _id: new Types.ObjectId(), stream: ADMINS_STREAM, name: "x", at: endedAt };
    const seq = (head?.seq ?? 0) + 1;
    await database.events.collection.insertOne({ ...inTheWay, seq, data: {} });
    const call = { costUsd: 0.9, endedAt, budgetUsd: 1 };
    await expect(countAiCost(database, call)).rejects.toThrow();
    expect(await readAiSpending(database, endedAt)).toBe(0);
    await database.events.collection.deleteOne({ _id: inTheWay._id });
    await countAiCost(database, call);
    expect(await percents(endedAt)).toEqual([80]);
  });

  it.each([
    ["many small calls", { calls: 60, costUsd: 0.03 }],
    ["calls that each reach a level", { calls: 12, costUsd: 0.8 }],
    ["calls that each reach both", { calls: 12, costUsd: 1.5 }],
  ])(
    "notifies once at each level, with four workers at once: %s",
    async (_, { calls, costUsd }) => {
      for (let round = 0; round < 2; round += 1) {
        const endedAt = newDay();
        const count = (worker: Database) => countAiCost(worker, { costUsd, endedAt, budgetUsd: 1 });
        await Promise.all(
          Array.from({ length: calls }, (_unused, index) =>
            count(workers[index % WORKERS] ?? database),
          ),
        );
        expect(await readAiSpending(database, endedAt)).toBeCloseTo(calls * costUsd, 9);
        expect(await percents(endedAt)).toEqual([80, 100]);
        for (const { percent, spent_usd } of await reachedOn(endedAt)) {
          expect(spent_usd).toBeGreaterThanOrEqual(percent / 100);
          expect(spent_usd - costUsd).toBeLessThan(percent / 100);
        }
      }
    },
  );
});
