import { chartImage } from "@shared/testing/images.ts";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { assertInvariants } from "./harness/assert-invariants.ts";
import { type FaultHarness, isLockOf, JOBS, startHarness, untilEnded } from "./harness/harness.ts";
import type { ServiceSlot } from "./harness/processes.ts";
import { type HeldCommand, holdCommand } from "./harness/processes.ts";
import { until } from "./harness/until.ts";

describe("every accepted signal ends exactly once when its worker is killed", () => {
  let harness: FaultHarness;
  let image: Buffer;
  const restarts: Promise<void>[] = [];

  beforeAll(async () => {
    harness = await startHarness();
    image = await chartImage(1).png().toBuffer();
  });
  afterEach(async () => {
    await Promise.all(restarts.splice(0));
    await assertInvariants(harness);
  });
  afterAll(() => harness.close());

  /** A trader with an open socket requests a signal with an image. */
  const ask = async (market = harness.nextMarket()) => {
    const trader = await harness.signUp({ credits: 3 });
    await trader.connect(harness.servers.b);
    const asked = await trader.ask(harness.servers.a, { ...market, image });
    const [reply] = asked.replies;
    if (reply?.kind !== "accepted") throw new Error(`not accepted: ${JSON.stringify(reply)}`);
    return reply.signalId;
  };
  const starts = async (signalId: string) => {
    const signal = await harness.database.signals.findById(signalId).lean();
    return { status: signal?.status, runs: signal?.revision };
  };
  /** Kills the worker that has the signal; another one is started in its place meanwhile, as by a supervisor. */
  const killHolder = async (signalId: string) => {
    const worker = await holderOf(harness, signalId);
    await worker.kill();
    restarts.push(worker.start());
  };
  /** Kills the worker that sends such a command, as soon as the database has received it and not run it. */
  const killAt = async (held: HeldCommand) => {
    const primary = await harness.mongo.primary();
    const point = await holdCommand(primary, held);
    const asking = ask();
    const client = await point.entered();
    const worker = Object.values(harness.workers).find(({ name }) => name === client);
    if (!worker) throw new Error(`${client} sent the command, which is no worker`);
    await worker.kill();
    restarts.push(worker.start());
    await point.release();
    const signalId = await asking;
    await untilEnded(harness, [signalId]);
    return signalId;
  };

  it("while it claims the job, before that is committed", async () => {
    const signalId = await killAt({ command: "update", collection: "market_analyses" });
    expect(await starts(signalId)).toEqual({ status: "completed", runs: 1 });
  });

  it("just after it has claimed the job, before it does anything", async () => {
    const signalId = await killAt({ command: "find", collection: "chart_images" });
    expect(await starts(signalId)).toEqual({ status: "completed", runs: 2 });
  });

  it("while it fetches candles", async () => {
    const market = harness.nextMarket();
    const hold = harness.exchange.hold(isForCandlesOf(market));
    const signalId = await ask(market);
    await until(() => hold.arrived > 0, { what: "a request for candles" });
    await killHolder(signalId);
    hold.release();
    await untilEnded(harness, [signalId]);
    expect(await starts(signalId)).toEqual({ status: "completed", runs: 2 });
  });

  it("while it waits for the AI", async () => {
    const hold = harness.ai.hold();
    const signalId = await ask();
    await until(() => hold.arrived > 0, { what: "a question to the AI" });
    await killHolder(signalId);
    hold.release();
    await untilEnded(harness, [signalId]);
    expect(await starts(signalId)).toEqual({ status: "completed", runs: 2 });
  });

  it("while it writes the result", async () => {
    const signalId = await killAt({ command: "insert", collection: "analysis_candles" });
    expect(await starts(signalId)).toEqual({ status: "completed", runs: 2 });
  });

  it("while it deletes the job, before the result is committed", async () => {
    const signalId = await killAt({ command: "delete", collection: JOBS });
    expect(await starts(signalId)).toEqual({ status: "completed", runs: 2 });
  });

  it("together with the only other one, and both come back", async () => {
    const hold = harness.ai.hold();
    const signalIds = await Promise.all(Array.from({ length: 6 }, () => ask()));
    await until(() => hold.arrived >= signalIds.length, { what: "all questions to the AI" });
    const workers = Object.values(harness.workers);
    await Promise.all(workers.map((worker) => worker.kill()));
    hold.release();
    await Promise.all(workers.map((worker) => worker.start()));
    await untilEnded(harness, signalIds);
    for (const id of signalIds) expect(await starts(id)).toEqual({ status: "completed", runs: 2 });
  });
});

/** The worker that holds the job of this signal, or has just completed it. */
function holderOf({ database, workers }: FaultHarness, signalId: string): Promise<ServiceSlot> {
  return until(
    async () => {
      const signal = await database.signals.findById(signalId).lean();
      const job = await database.jobs.findById(signal?.analysisId).lean();
      return Object.values(workers).find((worker) => isLockOf(job?.lastModifiedBy, worker));
    },
    { what: "a worker that holds the signal" },
  );
}

/** Matches requests to the exchange for the candles of this market. */
const isForCandlesOf =
  ({ symbol, timeframe }: { symbol: string; timeframe: string }) =>
  (url: string): boolean => {
    const { searchParams } = new URL(url, "http://exchange");
    const market = symbol.replace("/", "");
    return searchParams.get("symbol") === market && searchParams.get("interval") === timeframe;
  };
