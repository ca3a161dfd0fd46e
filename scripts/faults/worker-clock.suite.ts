import { setTimeout as delay } from "node:timers/promises";
import { chartImage } from "@shared/testing/images.ts";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type FaultHarness, startHarness } from "./harness/harness.ts";
import { askForMany, countsOf, signalsHeldBy, untilEnded } from "./harness/signal-probes.ts";
import { until } from "./harness/until.ts";
import { assertInvariants } from "./invariants/assert-invariants.ts";

/** Three lifetimes of a lock. */
const AHEAD_MS = 60_000;
/** All locks have been renewed by then, and would have expired otherwise. */
const HELD_MS = 25_000;
const SIGNALS = 24;

describe("with the clock of one worker a minute ahead", () => {
  let stage: FaultHarness;
  beforeAll(async () => {
    stage = await startHarness({ clockAheadMs: AHEAD_MS });
  });
  afterAll(() => stage.close());

  it("both workers run signals, each once", async () => {
    const trader = await stage.signUp({ credits: SIGNALS });
    const picture = await chartImage(1).png().toBuffer();
    await trader.connect(stage.servers.b);
    const hold = stage.ai.hold();
    // To the worker that is ahead, candles of a minute would be too old, and a signal without an image late.
    const wishes = Array.from({ length: SIGNALS }, () => ({
      ...stage.nextMarket(),
      timeframe: "1d",
      picture,
    }));
    const ids = await askForMany(stage, trader, wishes);
    await until(() => hold.arrived >= SIGNALS, { what: "all AI calls" });
    const { a, b } = stage.workers;
    expect(await signalsHeldBy(stage, a, ids)).not.toEqual([]);
    const ofB = await signalsHeldBy(stage, b, ids);
    expect(ofB).not.toEqual([]);
    const soon = new Date(Date.now() + AHEAD_MS / 2);
    const ahead = { _id: { $in: ofB }, startedAt: { $gt: soon } };
    expect(await stage.database.signals.countDocuments(ahead)).toBe(ofB.length);
    await delay(HELD_MS);
    hold.release();
    await untilEnded(stage, ids);
    expect(await countsOf(stage, ids)).toEqual(
      ids.map(() => ({ status: "completed", attempts: 1, aiCalls: 1 })),
    );
    await assertInvariants(stage);
  });
});
