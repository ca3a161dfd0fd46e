import type { UserRecord } from "@shared/database/models/user.ts";
import { userStream } from "@shared/outbox/streams.ts";
import { createUser, signTokenFor } from "@shared/testing/factories.ts";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { WebSocket } from "ws";
import { percentile, residentBytes } from "../bench/start-product.ts";
import { assertInvariants } from "./harness/assert-invariants.ts";
import { type FaultHarness, startHarness } from "./harness/harness.ts";
import { until } from "./harness/until.ts";

const SOCKETS = 200;
/** 40 MB, which each of the sockets asks for. */
const EVENTS = 8_000;
const EVENT_BYTES = 5_000;
const TRADERS = 20;
const ROUNDS = 15;
const MAX_P99_MS = 250;
const MAX_GROWTH_MB = 100;
const SAMPLE_INTERVAL_MS = 50;

describe(`${SOCKETS} sockets of one user who has missed ${EVENTS} events`, () => {
  let harness: FaultHarness;
  let attacker: UserRecord;
  const lagsMs: number[] = [];
  const sockets = new Set<WebSocket>();

  beforeAll(async () => {
    harness = await startHarness();
    for (let index = 0; index < TRADERS; index += 1) {
      const client = await (await harness.signUp()).connect(harness.servers.a);
      client.socket.on("account:updated", ({ at }: { at: string }) => {
        lagsMs.push(Date.now() - Date.parse(at));
      });
    }
    attacker = await createUser(harness.database, { approved: true, lastEventSeq: EVENTS });
    const stream = userStream(attacker._id);
    const at = new Date();
    const data = "x".repeat(EVENT_BYTES);
    const events = Array.from({ length: EVENTS }, (_, index) => ({
      stream,
      seq: index + 1,
      name: "history:cleared",
      data,
      at,
    }));
    await harness.database.events.insertMany(events);
    await assertInvariants(harness);
  });
  afterEach(async () => {
    for (const socket of sockets) socket.removeAllListeners("close").terminate();
    sockets.clear();
    await assertInvariants(harness);
  });
  afterAll(() => harness.close());

  const open = ({ reads, returns }: { reads: boolean; returns: boolean }) => {
    const address = `${harness.servers.a.url.replace("http", "ws")}/socket.io/`;
    const socket = new WebSocket(`${address}?EIO=4&transport=websocket`);
    const auth = { token: signTokenFor(attacker, harness.env), since: { user: 0 } };
    sockets.add(socket);
    socket.on("error", () => undefined);
    socket.once("open", () => {
      socket.send(`40${JSON.stringify(auth)}`);
      if (!reads) socket.pause();
    });
    socket.once("close", () => {
      sockets.delete(socket);
      if (returns) open({ reads, returns });
    });
  };

  /** How long events of other users take. */
  const pushToOthers = async () => {
    lagsMs.length = 0;
    for (let round = 0; round < ROUNDS; round += 1) {
      for (const { username } of harness.traders) {
        await harness.administrator.grantCredits(harness.servers.b, username, 1);
      }
    }
    await until(() => lagsMs.length >= ROUNDS * TRADERS, { what: "everybody's events" });
    return { p50Ms: percentile(lagsMs, 0.5), p99Ms: percentile(lagsMs, 0.99) };
  };

  it.each([
    ["that read everything", { reads: true, returns: false }],
    ["that read nothing", { reads: false, returns: false }],
    [
      "that read everything and are opened again when they are closed",
      { reads: true, returns: true },
    ],
  ])("%s delay no other user's events, and take little memory", async (_, behaviour) => {
    const before = await pushToOthers();
    const server = harness.servers.a;
    const memory = [await residentBytes(server.pid)];
    const sampling = setInterval(
      () => void residentBytes(server.pid).then((bytes) => memory.push(bytes)),
      SAMPLE_INTERVAL_MS,
    );
    for (let index = 0; index < SOCKETS; index += 1) open(behaviour);
    const during = await pushToOthers();
    clearInterval(sampling);
    const growthMb = (Math.max(...memory) - (memory[0] ?? 0)) / 2 ** 20;
    // On a busy machine, events are late without them too.
    console.log({ before, during, growthMb });
    expect(during.p99Ms).toBeLessThanOrEqual(MAX_P99_MS);
    expect(growthMb).toBeLessThanOrEqual(MAX_GROWTH_MB);
  });
});
