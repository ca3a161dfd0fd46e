import { setTimeout as delay } from "node:timers/promises";
import { chartImage } from "@shared/testing/images.ts";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { assertInvariants } from "./harness/assert-invariants.ts";
import { type FaultHarness, startHarness, untilEnded } from "./harness/harness.ts";
import type { Asked, Trader } from "./harness/trader.ts";
import { until } from "./harness/until.ts";

/** The fault itself, not a wait for anything. */
const PAUSE_MS = 20_000;
/** The API promises its 503 within that time. */
const REFUSED_WITHIN_MS = 10_000;
const REQUESTS = 6;

describe("every accepted signal ends exactly once when the database", () => {
  let harness: FaultHarness;
  let traders: Trader[];
  let image: Buffer;

  beforeAll(async () => {
    harness = await startHarness();
    image = await chartImage(1).png().toBuffer();
    traders = await Promise.all(
      Array.from({ length: REQUESTS }, async () => {
        const trader = await harness.signUp({ credits: 10 });
        await trader.connect(harness.servers.b);
        return trader;
      }),
    );
  });
  afterEach(() => assertInvariants(harness));
  afterAll(() => harness.close());

  const askAll = () =>
    Promise.all(
      traders.map((trader) => trader.ask(harness.servers.a, { ...harness.nextMarket(), image })),
    );
  /** Signals whose analyses are held at the AI until `release` is called. */
  const signalsUnderWay = async () => {
    const hold = harness.ai.hold();
    await askAll();
    await until(() => hold.arrived >= REQUESTS, { what: "all questions to the AI" });
    return hold;
  };
  /** Asks while the database is away, with a 503 in time. */
  const expectRefusals = async () => {
    const refused = await askAll();
    for (const { replies } of refused) {
      expect(replies).toMatchObject([{ kind: "refused", status: 503 }]);
      expect(replies[0]?.tookMs).toBeLessThan(REFUSED_WITHIN_MS);
    }
    return refused;
  };
  /** The same requests again, once the database is back. */
  const insistOn = async (refused: Asked[]) => {
    const accepted = await Promise.all(
      refused.map((asked) =>
        traders.find((one) => one.asked.includes(asked))?.insist(harness.servers.b, asked),
      ),
    );
    await untilEnded(
      harness,
      accepted.filter((id) => id !== undefined),
    );
  };

  it("is killed and started again on its data", async () => {
    const hold = await signalsUnderWay();
    const [mongod] = harness.mongo.members;
    await mongod?.kill();
    hold.release();
    const refused = await expectRefusals();
    await mongod?.start();
    await insistOn(refused);
  });

  it("is killed in the middle of a burst of requests", async () => {
    const asking = [askAll(), askAll(), askAll()];
    const [mongod] = harness.mongo.members;
    await mongod?.kill();
    const asked = (await Promise.all(asking)).flat();
    await mongod?.start();
    await insistOn(asked);
  });

  it("hangs for 20 s", async () => {
    const hold = await signalsUnderWay();
    const [mongod] = harness.mongo.members;
    mongod?.pause();
    const paused = delay(PAUSE_MS);
    hold.release();
    const refused = await expectRefusals();
    await paused;
    mongod?.resume();
    await insistOn(refused);
  });
});
