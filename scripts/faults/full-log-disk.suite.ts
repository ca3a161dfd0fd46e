import { freePort } from "@shared/testing/free-port.ts";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { assertSound } from "./invariants/assert-sound.ts";
import { spawnMutePart } from "./stage/mute-part.ts";
import { PartSlot } from "./stage/part-slot.ts";
import { untilEnded } from "./stage/signal-places.ts";
import { type Stage, setStage } from "./stage/stage.ts";
import { until } from "./until.ts";

describe("with its log on a disk that is full", () => {
  let stage: Stage;
  beforeAll(async () => {
    stage = await setStage();
  });
  afterAll(() => stage.close());

  const env = (appName: string) => ({ ...stage.env, MONGODB_URI: stage.mongo.uri(appName) });
  const askFor = async (count: number, via = stage.servers.a) => {
    const trader = await stage.signUp();
    await trader.connect(stage.servers.b);
    const asking = Array.from({ length: count }, () => trader.ask(via, stage.nextMarket()));
    const replies = (await Promise.all(asking)).flatMap((asked) => asked.replies);
    return replies.flatMap((reply) => (reply.kind === "accepted" ? [reply.signalId] : []));
  };

  it("a worker goes on working, and ends in order", async () => {
    const workers = Object.values(stage.workers);
    await Promise.all(workers.map((worker) => worker.stop()));
    const mute = spawnMutePart("worker", env("mute-worker"));
    const ids = await askFor(5);
    await untilEnded(stage, ids);
    expect(await stage.database.signals.countDocuments({ status: "completed" })).toBe(5);
    expect(mute.isRunning()).toBe(true);
    expect(await mute.stop()).toBe(0);
    await Promise.all(workers.map((worker) => worker.start()));
    await assertSound(stage);
  });

  it("a server goes on answering, and ends in order", async () => {
    const port = String(await freePort());
    const mute = spawnMutePart("server", { ...env("mute-server"), API_PORT: port });
    const via = new PartSlot({ name: "mute-server", kind: "server", env: { API_PORT: port } });
    await until(async () => (await fetch(`${via.url}/readyz`)).ok, { what: "the server" });
    const ids = await askFor(5, via);
    expect(ids).toHaveLength(5);
    await untilEnded(stage, ids);
    expect(await mute.stop()).toBe(0);
    await assertSound(stage);
  });
});
