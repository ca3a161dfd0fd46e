import { setTimeout as delay } from "node:timers/promises";
import { chartImage } from "@shared/testing/images.ts";
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

/** Thirty lifetimes of a lock. */
const AHEAD_MS = 600_000;
const SHIFTED_CLOCK = {
  NODE_OPTIONS: `--import ${new URL("harness/shift-clock.mjs", import.meta.url)}`,
  CLOCK_AHEAD_MS: String(AHEAD_MS),
};
/** All locks have been renewed by then, and would have expired otherwise. */
const HELD_MS = 25_000;
const SIGNALS = 24;

describe("with the clock of one worker ten minutes ahead", () => {
  let harness: FaultHarness;
  beforeAll(async () => {
    harness = await startHarness({ workerEnv: { b: SHIFTED_CLOCK } });
  });
  afterAll(() => harness.close());

  it("both workers run signals, each once", async () => {
    const trader = await harness.signUp({ credits: SIGNALS });
    const image = await chartImage(1).png().toBuffer();
    await trader.connect(harness.servers.b);
    const hold = harness.ai.hold();
    const requests = Array.from({ length: SIGNALS }, () => ({
      ...harness.nextMarket(),
      timeframe: "1d",
      image,
    }));
    const ids = await askForMany(harness, trader, requests);
    await until(() => hold.arrived >= SIGNALS, { what: "all AI calls" });
    const { a, b } = harness.workers;
    expect(await signalsHeldBy(harness, a, ids)).not.toEqual([]);
    const ofB = await signalsHeldBy(harness, b, ids);
    expect(ofB).not.toEqual([]);
    const soon = new Date(Date.now() + AHEAD_MS / 2);
    const ahead = { _id: { $in: ofB }, startedAt: { $gt: soon } };
    expect(await harness.database.signals.countDocuments(ahead)).toBe(0);
    await delay(HELD_MS);
    hold.release();
    await untilEnded(harness, ids);
    expect(await countsOf(harness, ids)).toEqual(
      ids.map(() => ({ status: "completed", attempts: 1, aiCalls: 1 })),
    );
    await assertInvariants(harness);
  });
});
