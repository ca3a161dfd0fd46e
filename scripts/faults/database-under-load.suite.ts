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
import type { Asked, Trader } from "./harness/trader.ts";
import { until } from "./harness/until.ts";

/** More than twice the lifetime of a lock. */
const FREEZE_MS = 42_000;
/** The AI answers before the workers give up a call, which they do after 45 s; their results wait for the database. */
const ANSWERED_AFTER_MS = 30_000;
/** One worker gets back to the database so much later than the other one. */
const LATE_MS = 5_000;
const IN_FLIGHT = 60;
const KILLS = 4;
const PER_KILL = 50;
const AI_TIME_MS = 1_000;
const ENDED_WITHIN_MS = 90_000;

const ONCE = { status: "completed", attempts: 1, aiCalls: 1 };

describe("with many signals in flight, the AI is called once for each when the database", () => {
  let harness: FaultHarness;
  let trader: Trader;

  beforeAll(async () => {
    harness = await startHarness({ aiTimeMs: AI_TIME_MS });
    trader = await harness.signUp();
    await trader.connect(harness.servers.b);
  });
  afterEach(() => assertInvariants(harness));
  afterAll(() => harness.close());

  const requests = (count: number) => Array.from({ length: count }, () => harness.nextMarket());

  /**
   * Waits for the next renewal of these locks. The outage is noticed before the one after it: no renewal waits in a
   * connection, where the database would find it after a freeze.
   */
  const untilRenewed = async (ids: readonly string[]) => {
    const filter = { _id: { $in: await analysisIdsOf(harness, ids) } };
    const last = await harness.database.jobs.findOne(filter).sort({ lockedAt: -1 }).lean();
    const renewed = { ...filter, lockedAt: { $gt: last?.lockedAt ?? null } };
    await until(() => harness.database.jobs.exists(renewed), { what: "a renewal of locks" });
  };

  it("is suspended for longer than locks last: their owners renew them first", async () => {
    const hold = harness.ai.hold();
    const ids = await askForMany(harness, trader, requests(IN_FLIGHT));
    await until(() => hold.arrived >= IN_FLIGHT, { what: "all AI calls" });
    const { a, b } = harness.workers;
    for (const worker of [a, b]) {
      expect(await signalsHeldBy(harness, worker, ids)).not.toEqual([]);
    }
    const [mongod] = harness.mongo.members;
    await untilRenewed(await signalsHeldBy(harness, a, ids));
    mongod?.pause();
    await delay(ANSWERED_AFTER_MS);
    hold.release();
    await delay(FREEZE_MS - ANSWERED_AFTER_MS);
    a.suspend();
    mongod?.resume();
    await delay(LATE_MS);
    a.resume();
    await untilEnded(harness, ids);
    expect(await countsOf(harness, ids)).toEqual(ids.map(() => ONCE));
  });

  it("is killed four times: no request gets another error than a 503", async () => {
    const [mongod] = harness.mongo.members;
    const asked: Asked[] = [];
    const ask = async (count: number) => {
      asked.push(
        ...(await Promise.all(
          requests(count).map((request) => trader.ask(harness.servers.a, request)),
        )),
      );
    };
    for (let kill = 0; kill < KILLS; kill += 1) {
      const before = harness.aiCalls.length;
      const asking = ask(PER_KILL);
      await until(() => harness.aiCalls.length > before, { what: "an AI call" });
      await mongod?.kill();
      await Promise.all([asking, ask(1)]);
      await mongod?.start();
    }
    const replies = asked.flatMap((one) => one.replies);
    expect(replies.filter(({ kind }) => kind === "lost")).toEqual([]);
    const refusals = replies.filter((reply) => reply.kind === "refused");
    expect(new Set(refusals.map(({ status }) => status))).toEqual(new Set([503]));
    const ids = await Promise.all(asked.map((one) => trader.insist(harness.servers.b, one)));
    await untilEnded(harness, ids, ENDED_WITHIN_MS);
    const counts = await countsOf(harness, ids);
    expect(counts.map(({ status, aiCalls }) => ({ status, aiCalls }))).toEqual(
      ids.map(() => ({ status: "completed", aiCalls: 1 })),
    );
  });
});
