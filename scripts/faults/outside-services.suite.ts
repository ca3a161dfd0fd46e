import { setTimeout as delay } from "node:timers/promises";
import { signalResponseSchema } from "@shared/contract/signal.ts";
import { expectAnswer } from "@shared/testing/call-api.ts";
import { chartImage } from "@shared/testing/images.ts";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { assertInvariants } from "./harness/assert-invariants.ts";
import type { Gateway } from "./harness/harness.ts";
import { type FaultHarness, startHarness, untilEnded } from "./harness/harness.ts";
import type { Trader } from "./harness/trader.ts";
import { until } from "./harness/until.ts";

/** Three times that is the minute of the outage: the fault itself, not a wait for anything. */
const THIRD_MS = 20_000;
/** A provider that failed three times rests for 30 s. */
const WELL_AGAIN_WITHIN_MS = 60_000;
/** A signal with an image may take 120 s. */
const ENDED_WITHIN_MS = 125_000;

describe("every signal asked for while an outside service is down ends as documented", () => {
  let harness: FaultHarness;
  let trader: Trader;
  let image: Buffer;

  beforeAll(async () => {
    harness = await startHarness();
    image = await chartImage(1).png().toBuffer();
    trader = await harness.signUp({ credits: 100 });
    await trader.connect(harness.servers.a);
  });
  afterEach(() => assertInvariants(harness));
  afterAll(() => harness.close());

  /** One signal with an image and one without. */
  const askTwice = async () => {
    const asking = [{ image }, {}].map((extra) =>
      trader.ask(harness.servers.a, { ...harness.nextMarket(), ...extra }),
    );
    const replies = (await Promise.all(asking)).flatMap((asked) => asked.replies);
    return replies.flatMap((reply) => (reply.kind === "accepted" ? [reply.signalId] : []));
  };
  const read = (signalId: string) =>
    expectAnswer(signalResponseSchema, `${harness.servers.b.url}/signals/${signalId}`, {
      token: trader.token,
    });
  /** Refused, answered with 500 and hanging, a third of a minute each; what was asked for meanwhile, by kind. */
  const failForAMinute = async (service: Gateway) => {
    const askDuring = async (begin: () => Promise<void> | void) => {
      await begin();
      const third = delay(THIRD_MS);
      const ids = await askTwice();
      await third;
      return ids;
    };
    const refused = await askDuring(() => service.refuse());
    service.behave("error");
    const failing = await askDuring(() => service.accept());
    const hanging = await askDuring(() => service.behave("hang"));
    service.behave("pass");
    return { refused, failing, hanging };
  };
  const expectFailed = async (ids: string[]) => {
    expect(ids).toHaveLength(2);
    for (const id of ids) {
      const { status, analysis } = await read(id);
      expect({ status, analysis }).toMatchObject({
        status: "failed",
        analysis: { final_signal: "WAIT", confidence: 0 },
      });
      expect(analysis?.warnings).toContain("AI or data fetch failed");
    }
  };
  const expectWellAgain = () =>
    until(
      async () => {
        const ids = await askTwice();
        await untilEnded(harness, ids);
        const ended = await Promise.all(ids.map(read));
        return ended.length === 2 && ended.every(({ status }) => status === "completed");
      },
      { what: "signals that succeed again", withinMs: WELL_AGAIN_WITHIN_MS },
    );

  it("the exchange: they fail with the credit given back, and later ones succeed", async () => {
    const { refused, failing, hanging } = await failForAMinute(harness.exchange);
    await untilEnded(harness, [...refused, ...failing, ...hanging], ENDED_WITHIN_MS);
    for (const ids of [refused, failing, hanging]) await expectFailed(ids);
    await expectWellAgain();
  });

  it("the AI: they fail with the credit given back or are made late, and later ones succeed", async () => {
    const { refused, failing, hanging } = await failForAMinute(harness.ai);
    await expectWellAgain();
    await untilEnded(harness, [...refused, ...failing, ...hanging], ENDED_WITHIN_MS);
    for (const ids of [refused, failing]) await expectFailed(ids);
    // A call that hangs is given up after 45 s, and the next one finds the AI well again.
    for (const id of hanging) expect((await read(id)).status).toBe("completed");
  });
});
