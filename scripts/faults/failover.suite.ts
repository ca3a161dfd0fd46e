import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { assertInvariants } from "./harness/assert-invariants.ts";
import { type FaultHarness, startHarness, untilEnded } from "./harness/harness.ts";
import type { Trader } from "./harness/trader.ts";
import { until } from "./harness/until.ts";

const SIGNALS = 6;
const ELECTED_WITHIN_MS = 45_000;

describe("every accepted signal ends exactly once in a replica set of three when the primary", () => {
  let harness: FaultHarness;
  let trader: Trader;

  beforeAll(async () => {
    harness = await startHarness({ members: 3 });
    trader = await harness.signUp();
    await trader.connect(harness.servers.a);
    await trader.connect(harness.servers.b);
  });
  afterEach(async () => {
    for (const member of harness.mongo.members) {
      await until(() => member.role(), { what: member.address, withinMs: ELECTED_WITHIN_MS });
    }
    await assertInvariants(harness);
  });
  afterAll(() => harness.close());

  const ask = () => trader.ask(harness.servers.a, harness.nextMarket());
  /** Signals at the AI, which are ended while there is no primary. */
  const signalsUnderWay = async () => {
    const hold = harness.ai.hold();
    await Promise.all(Array.from({ length: SIGNALS }, ask));
    await until(() => hold.arrived >= SIGNALS, { what: "all questions to the AI" });
    return hold;
  };
  const expectGoingOn = async () => {
    const id = await trader.insist(harness.servers.b, await ask(), ELECTED_WITHIN_MS);
    await untilEnded(harness, [id]);
    await until(() => trader.sockets.every(({ socket }) => socket.connected), { what: "sockets" });
  };

  it("steps down", async () => {
    const hold = await signalsUnderWay();
    const primary = await harness.mongo.primary();
    await primary.stepDown();
    hold.release();
    const next = await harness.mongo.primary(primary);
    expect(next.address).not.toBe(primary.address);
    await expectGoingOn();
  });

  it("is killed, and comes back as a secondary", async () => {
    const hold = await signalsUnderWay();
    const primary = await harness.mongo.primary();
    await primary.kill();
    hold.release();
    const asked = await ask();
    await harness.mongo.primary(primary);
    await trader.insist(harness.servers.b, asked, ELECTED_WITHIN_MS);
    await expectGoingOn();
    await primary.start();
  });
});
