import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type FaultHarness, startHarness } from "./harness/harness.ts";
import { askForMany, countsOf, signalsHeldBy, untilEnded } from "./harness/signal-probes.ts";
import { until } from "./harness/until.ts";
import { assertInvariants } from "./invariants/assert-invariants.ts";

const CONCURRENCY = 4;
/** Both workers are busy, and as many signals wait. */
const SIGNALS = 4 * CONCURRENCY;
/** Less than a lock lasts: nothing waits for one to expire. */
const TAKEN_WITHIN_MS = 15_000;

describe("a worker that stops with signals running and others waiting", () => {
  let stage: FaultHarness;
  beforeAll(async () => {
    stage = await startHarness({ workerConcurrency: CONCURRENCY });
  });
  afterAll(() => stage.close());

  it("releases its jobs, locks none again, and the other worker takes them at once", async () => {
    const trader = await stage.signUp();
    await trader.connect(stage.servers.b);
    const { a, b } = stage.workers;
    const hold = stage.ai.hold();
    const wishes = Array.from({ length: SIGNALS }, () => stage.nextMarket());
    const ids = await askForMany(stage, trader, wishes);
    await until(() => hold.arrived >= 2 * CONCURRENCY, { what: "AI calls of both workers" });
    const released = await signalsHeldBy(stage, a, ids);
    expect(released).toHaveLength(CONCURRENCY);

    expect(await a.stop()).toBe(0);
    expect(await signalsHeldBy(stage, a, ids)).toEqual([]);
    expect(await signalsHeldBy(stage, b, ids)).toHaveLength(CONCURRENCY);
    hold.release();
    await untilEnded(stage, ids, TAKEN_WITHIN_MS);
    expect(await signalsHeldBy(stage, a, ids)).toEqual([]);
    expect(await countsOf(stage, released)).toEqual(
      released.map(() => ({ status: "completed", attempts: 2, aiCalls: 2 })),
    );
    const others = ids.filter((id) => !released.includes(id));
    expect(await countsOf(stage, others)).toEqual(
      others.map(() => ({ status: "completed", attempts: 1, aiCalls: 1 })),
    );
    await a.start();
    await assertInvariants(stage);
  });
});
