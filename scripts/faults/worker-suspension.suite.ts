import { setTimeout as delay } from "node:timers/promises";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { assertInvariants } from "./harness/assert-invariants.ts";
import {
  analysisIdsOf,
  askForMany,
  countsOf,
  type FaultHarness,
  signalsHeldBy,
  startHarness,
  untilEnded,
} from "./harness/harness.ts";
import type { ServiceSlot } from "./harness/processes.ts";
import type { Trader } from "./harness/trader.ts";
import { until } from "./harness/until.ts";

/** Locks last 20 s: the other worker takes over meanwhile. */
const SUSPENSION_MS = 36_000;
/** Longer than the locks of work items last. */
const LONG_SUSPENSION_MS = 65_000;
const SIGNALS = 24;
const RECURRING = ["resolve-outcomes", "sweep-signals"];
/** The sweep runs every 10 s. */
const RUN_AGAIN_WITHIN_MS = 25_000;

describe("a worker that is suspended and wakes up", () => {
  let harness: FaultHarness;
  let trader: Trader;

  beforeAll(async () => {
    harness = await startHarness();
    trader = await harness.signUp();
    await trader.connect(harness.servers.b);
  });
  afterEach(() => assertInvariants(harness));
  afterAll(() => harness.close());

  const ask = (count: number) =>
    askForMany(
      harness,
      trader,
      Array.from({ length: count }, () => harness.nextMarket()),
    );
  /** Waits until the worker has dropped its runs of these signals. */
  const untilDropped = async (worker: ServiceSlot, signalIds: readonly string[]) => {
    const ids = (await analysisIdsOf(harness, signalIds)).map(String);
    const isDrop = (line: string) =>
      line.includes("work item not finished") || line.includes("taken over by another run");
    return until(
      () => ids.every((id) => worker.lines.some((line) => line.includes(id) && isDrop(line))),
      { what: "the end of runs that have lost their locks" },
    );
  };

  it("changes nothing of the signals that another one has taken over", async () => {
    const { a, b } = harness.workers;
    const hold = harness.ai.hold();
    const ids = await ask(SIGNALS);
    await until(() => hold.arrived >= SIGNALS, { what: "all AI calls" });
    const taken = await signalsHeldBy(harness, a, ids);
    const others = ids.filter((id) => !taken.includes(id));
    expect(taken).not.toEqual([]);
    expect(others).not.toEqual([]);
    a.suspend();
    const suspended = delay(SUSPENSION_MS);
    // The answers to the suspended worker wait in its connections, and the calls of the next attempts are held.
    const again = harness.ai.hold();
    hold.release();
    await untilEnded(harness, others);
    await suspended;
    expect(again.arrived).toBe(taken.length);
    a.resume();
    await untilDropped(a, taken);
    expect(await signalsHeldBy(harness, b, taken)).toEqual(taken);
    expect(await countsOf(harness, taken)).toEqual(
      taken.map(() => ({ status: "running", attempts: 2, aiCalls: 2 })),
    );
    again.release();
    await untilEnded(harness, ids);
    expect(await countsOf(harness, taken)).toEqual(
      taken.map(() => ({ status: "completed", attempts: 2, aiCalls: 2 })),
    );
    expect(await countsOf(harness, others)).toEqual(
      others.map(() => ({ status: "completed", attempts: 1, aiCalls: 1 })),
    );
  });

  it("runs its recurring jobs and new signals, if it is the only one", async () => {
    const { a, b } = harness.workers;
    await b.stop();
    a.suspend();
    const [waiting] = await ask(1);
    await delay(LONG_SUSPENSION_MS);
    const before = await finishTimes();
    a.resume();
    const [later] = await ask(1);
    const ids = [waiting, later].flatMap((id) => id ?? []);
    await untilEnded(harness, ids, RUN_AGAIN_WITHIN_MS);
    expect(await countsOf(harness, ids)).toEqual(
      ids.map(() => ({ status: "completed", attempts: 1, aiCalls: 1 })),
    );
    await until(
      async () => {
        const after = await finishTimes();
        return RECURRING.every((name) => (after.get(name) ?? 0) > (before.get(name) ?? 0));
      },
      { what: "recurring jobs to run again", withinMs: RUN_AGAIN_WITHIN_MS },
    );
    await b.start();
  });

  /** When each recurring job last finished. */
  const finishTimes = async () => {
    const jobs = await harness.database.jobs.find({ name: { $in: RECURRING } }).lean();
    return new Map(jobs.map(({ name, lastFinishedAt }) => [name, Number(lastFinishedAt)]));
  };
});
