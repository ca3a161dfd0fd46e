import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { assertInvariants } from "./harness/assert-invariants.ts";
import {
  askForMany,
  countsOf,
  type FaultHarness,
  signalsHeldBy,
  startHarness,
  untilEnded,
} from "./harness/harness.ts";
import { until } from "./harness/until.ts";

const CONCURRENCY = 4;
const LIMIT = { WORKER_CONCURRENCY: String(CONCURRENCY) };
/** Both workers are busy, and as many signals wait. */
const SIGNALS = 4 * CONCURRENCY;
/** Less than a lock lasts: nothing waits for one to expire. */
const TAKEN_WITHIN_MS = 15_000;

describe("a worker that stops with signals running and others waiting", () => {
  let harness: FaultHarness;
  beforeAll(async () => {
    harness = await startHarness({ workerEnv: { a: LIMIT, b: LIMIT } });
  });
  afterAll(() => harness.close());

  it("releases its jobs, locks none again, and the other worker takes them at once", async () => {
    const trader = await harness.signUp();
    await trader.connect(harness.servers.b);
    const { a, b } = harness.workers;
    const hold = harness.ai.hold();
    const requests = Array.from({ length: SIGNALS }, () => harness.nextMarket());
    const ids = await askForMany(harness, trader, requests);
    await until(() => hold.arrived >= 2 * CONCURRENCY, { what: "AI calls of both workers" });
    const released = await signalsHeldBy(harness, a, ids);
    expect(released).toHaveLength(CONCURRENCY);

    expect(await a.stop()).toBe(0);
    expect(await signalsHeldBy(harness, a, ids)).toEqual([]);
    expect(await signalsHeldBy(harness, b, ids)).toHaveLength(CONCURRENCY);
    hold.release();
    await untilEnded(harness, ids, TAKEN_WITHIN_MS);
    expect(await signalsHeldBy(harness, a, ids)).toEqual([]);
    expect(await countsOf(harness, released)).toEqual(
      released.map(() => ({ status: "completed", attempts: 2, aiCalls: 2 })),
    );
    const others = ids.filter((id) => !released.includes(id));
    expect(await countsOf(harness, others)).toEqual(
      others.map(() => ({ status: "completed", attempts: 1, aiCalls: 1 })),
    );
    await a.start();
    await assertInvariants(harness);
  });
});
