import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { assertInvariants } from "./harness/assert-invariants.ts";
import { type FaultHarness, startHarness, untilEnded } from "./harness/harness.ts";
import { holdCommand } from "./harness/processes.ts";

/** The API promises its 503 within that time. */
const REFUSED_WITHIN_MS = 10_000;
/** Longer than a request may take. */
const COMMIT_HANGS_MS = 14_000;
/** For a request that is sent as soon as nothing hangs any more. */
const ANSWERED_WITHIN_MS = 5_000;

describe("while a commit hangs", () => {
  let harness: FaultHarness;
  beforeAll(async () => {
    harness = await startHarness();
  });
  afterAll(() => harness.close());

  it("its caller gets a 503 in time, and others are served as soon as it has ended", async () => {
    const caller = await harness.signUp();
    const other = await harness.signUp();
    await Promise.all([caller, other].map((trader) => trader.connect(harness.servers.b)));
    const point = await holdCommand(await harness.mongo.primary(), {
      command: "commitTransaction",
      client: "server-a",
      holdMs: COMMIT_HANGS_MS,
    });
    const asking = caller.ask(harness.servers.a, harness.nextMarket());
    await point.entered();
    const otherAsking = other.ask(harness.servers.a, harness.nextMarket());
    const asked = await asking;
    expect(asked.replies).toMatchObject([{ kind: "refused", status: 503 }]);
    expect(asked.replies[0]?.tookMs).toBeLessThan(REFUSED_WITHIN_MS);
    const otherAsked = await otherAsking;
    expect(otherAsked.replies[0]?.tookMs).toBeLessThan(REFUSED_WITHIN_MS);

    await point.left();
    const ids = [
      await caller.insist(harness.servers.a, asked, ANSWERED_WITHIN_MS),
      await other.insist(harness.servers.a, otherAsked, ANSWERED_WITHIN_MS),
    ];
    await untilEnded(harness, ids);
    await assertInvariants(harness);
  });
});
