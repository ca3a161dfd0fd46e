import { chartImage } from "@shared/testing/images.ts";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { assertInvariants } from "./harness/assert-invariants.ts";
import { type FaultHarness, JOBS, startHarness, untilEnded } from "./harness/harness.ts";
import { type HeldCommand, holdCommand } from "./harness/processes.ts";
import { until } from "./harness/until.ts";

const BURST = 40;

describe("every accepted signal ends exactly once when its server is killed", () => {
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

  const signUp = async () => {
    const trader = await harness.signUp({ credits: 3 });
    await trader.connect(harness.servers.b);
    return trader;
  };
  /** Kills server A and starts another one in its place. */
  const killServer = async () => {
    await harness.servers.a.kill();
    restarts.push(harness.servers.a.start());
  };
  /** Kills server A with a request under way, as soon as the database has received its command and not run it. */
  const killAt = async (held: HeldCommand) => {
    const trader = await signUp();
    const primary = await harness.mongo.primary();
    const point = await holdCommand(primary, { ...held, client: "server-a" });
    const asking = trader.ask(harness.servers.a, { ...harness.nextMarket(), image });
    await point.entered();
    await killServer();
    await point.release();
    const asked = await asking;
    expect(asked.replies).toMatchObject([{ kind: "lost" }]);
    return { trader, asked };
  };
  const signalsOf = (userId: string) => harness.database.signals.countDocuments({ userId });

  it("before the signal is stored: nothing of it is left, and the same request is accepted by the other", async () => {
    const { trader, asked } = await killAt({ command: "insert", collection: "events" });
    expect(await signalsOf(trader.userId)).toBe(0);
    await untilEnded(harness, [await trader.insist(harness.servers.b, asked)]);
    expect(await signalsOf(trader.userId)).toBe(1);
  });

  it("after the image is stored and before its signal is: the bytes are collected", async () => {
    const { trader } = await killAt({ command: "insert", collection: "chart_images" });
    expect(await signalsOf(trader.userId)).toBe(0);
  });

  it("between the signal and its job: neither is there, and the same request makes both", async () => {
    const { trader, asked } = await killAt({ command: "insert", collection: JOBS });
    expect(await signalsOf(trader.userId)).toBe(0);
    await untilEnded(harness, [await trader.insist(harness.servers.b, asked)]);
    expect(await signalsOf(trader.userId)).toBe(1);
  });

  it("while the trader waits for the result: the other one answers with the same signal", async () => {
    const trader = await signUp();
    const hold = harness.ai.hold();
    const asking = trader.ask(harness.servers.a, { ...harness.nextMarket(), image, waits: true });
    await until(() => hold.arrived > 0, { what: "a question to the AI" });
    await killServer();
    const asked = await asking;
    expect(asked.replies).toMatchObject([{ kind: "lost" }]);
    const again = trader.askAgain(harness.servers.b, asked);
    hold.release();
    expect(await again).toMatchObject({ kind: "accepted", status: 200 });
    expect(await signalsOf(trader.userId)).toBe(1);
  });

  it("in a burst of requests: all of them, sent again to the other one, are made once", async () => {
    const traders = await Promise.all(Array.from({ length: 4 }, signUp));
    const changes = harness.database.signals.collection.watch([
      { $match: { operationType: "insert" } },
    ]);
    const firstStored = changes.next();
    const asking = traders.flatMap((trader) =>
      Array.from({ length: BURST / traders.length }, () =>
        trader.ask(harness.servers.a, harness.nextMarket()),
      ),
    );
    await firstStored;
    await changes.close();
    await killServer();
    await Promise.all(asking);
    await Promise.all(
      traders.map((trader) =>
        Promise.all(trader.asked.map((asked) => trader.insist(harness.servers.b, asked))),
      ),
    );
    const counts = await Promise.all(traders.map(({ userId }) => signalsOf(userId)));
    expect(counts).toEqual(traders.map(() => BURST / traders.length));
  });

  it("while it pushes results: its sockets come back and go on from their last number", async () => {
    const trader = await harness.signUp();
    const sockets = await Promise.all(
      Array.from({ length: 5 }, () => trader.connect(harness.servers.a)),
    );
    const hold = harness.ai.hold();
    const asking = Array.from({ length: 20 }, () =>
      trader.ask(harness.servers.b, harness.nextMarket()),
    );
    await Promise.all(asking);
    await until(() => hold.arrived >= asking.length, { what: "all questions to the AI" });
    hold.release();
    await until(() => sockets[0]?.named("signal:completed").length, { what: "the first result" });
    await killServer();
    await until(
      () => sockets.every((socket) => socket.named("signal:completed").length === asking.length),
      {
        what: "all results on all sockets",
      },
    );
  });

  it("together with the only other one, and both come back", async () => {
    const traders = await Promise.all(Array.from({ length: 3 }, signUp));
    const hold = harness.ai.hold();
    const request = () => ({ ...harness.nextMarket(), image, waits: true });
    const asking = traders.map((trader) => trader.ask(harness.servers.a, request()));
    await until(() => hold.arrived >= traders.length, { what: "all questions to the AI" });
    const servers = Object.values(harness.servers);
    await Promise.all(servers.map((server) => server.kill()));
    hold.release();
    await Promise.all(asking);
    await Promise.all(servers.map((server) => server.start()));
    for (const trader of traders) {
      const [asked] = trader.asked;
      if (asked) await trader.insist(harness.servers.b, asked);
    }
  });
});
