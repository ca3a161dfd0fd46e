import { setTimeout as delay } from "node:timers/promises";
import { expectAnswer } from "@shared/testing/call-api.ts";
import { chartImage } from "@shared/testing/images.ts";
import { expect, it } from "vitest";
import { z } from "zod";
import { type FaultHarness, startHarness } from "../faults/harness/harness.ts";
import type { ServiceSlot } from "../faults/harness/service-slot.ts";
import { until } from "../faults/harness/until.ts";
import { assertInvariants } from "../faults/invariants/assert-invariants.ts";
import { MemoryLog } from "./memory-log.ts";
import { describeCalls, runTraffic } from "./traffic.ts";

const TRADERS = 20;
const CREDITS = 10_000;
const AI_TIME_MS = 500;
const SAMPLE_INTERVAL_MS = 5_000;
/**
 * For a process after its warm-up. A garbage collection moves the slope of two minutes by some MB; a leak of one signal's
 * candles per signal would be five times as much.
 */
const MAX_GROWTH_MB_PER_MINUTE = 20;

/** Not limited: it fills its cache, up to 256 MB. */
const DATABASE = "mongod";

/** Set by `npm run test:soak -- --minutes 10 --seed 1`. */
const { minutes, seed } = z
  .object({
    SUITE_MINUTES: z.coerce.number().int().min(1).max(1_440).default(10),
    SUITE_SEED: z.coerce.number().int().min(1).default(1),
  })
  .transform(({ SUITE_MINUTES, SUITE_SEED }) => ({ minutes: SUITE_MINUTES, seed: SUITE_SEED }))
  .parse(process.env);
const MINUTE_MS = 60_000;

it(
  `${TRADERS} traders lose nothing in ${minutes} minutes in which a process is killed every minute`,
  async () => {
    const harness = await startHarness({ aiTimeMs: AI_TIME_MS });
    try {
      for (let index = 0; index < TRADERS; index += 1) await harness.signUp({ credits: CREDITS });
      expect(await soak(harness)).toEqual([]);
      console.log(`${await harness.database.signals.countDocuments()} signals`);
    } finally {
      await harness.close();
    }
  },
  minutes * MINUTE_MS + 600_000,
);

/** Runs traffic, and returns all faults. */
async function soak(harness: FaultHarness): Promise<string[]> {
  const image = await chartImage(1).png().toBuffer();
  const memory = new MemoryLog();
  const stop = new AbortController();
  const sampling = setInterval(() => void memory.sample(processesOf(harness)), SAMPLE_INTERVAL_MS);
  const working = runTraffic({ harness, image, seed, stop: stop.signal });
  try {
    console.table(await killOneByOne(harness));
  } finally {
    stop.abort();
    clearInterval(sampling);
    await working;
  }
  const calls = describeCalls(await working);
  console.table(calls);
  const rows = memory.rows(MAX_GROWTH_MB_PER_MINUTE);
  console.table(rows);
  const grown = rows.filter(({ name, grewTooMuch }) => grewTooMuch && name !== DATABASE);
  const failed = calls.filter((call) => call.failed > 0).map(({ call }) => `${call} failed`);
  const faults = [...failed, ...grown.map(({ name }) => `${name} grew too much`)];
  await assertInvariants(harness).catch((error: unknown) => faults.push(String(error)));
  return faults;
}

function processesOf({ services, mongo }: FaultHarness): { name: string; pid: number }[] {
  const members = mongo.members.map(({ pid }) => ({ name: DATABASE, pid }));
  return [...services.map(({ name, pid }) => ({ name, pid })), ...members];
}

const HANG_MS = 10_000;

/** Interrupts the next process every minute but the last. Returns the time until each was ready again. */
async function killOneByOne(harness: FaultHarness) {
  const { servers, workers } = harness;
  const faults = [servers.a, workers.a, servers.b, workers.b, undefined];
  const kills: { minute: number; process: string; readyAfterMs: number }[] = [];
  const startedAt = performance.now();
  const untilMinute = (minute: number) =>
    delay(Math.max(0, startedAt + minute * MINUTE_MS - performance.now()));
  for (let minute = 1; minute < minutes; minute += 1) {
    await untilMinute(minute);
    const service = faults[(minute - 1) % faults.length];
    const killedAt = performance.now();
    await (service ? restart(service) : hangDatabase(harness));
    const readyAfterMs = Math.round(performance.now() - killedAt);
    kills.push({ minute, process: service?.name ?? "mongod (hangs)", readyAfterMs });
    console.log(kills.at(-1));
  }
  await untilMinute(minutes);
  return kills;
}

async function restart(service: ServiceSlot): Promise<void> {
  await service.kill();
  await service.start();
}

async function hangDatabase({ mongo, servers }: FaultHarness): Promise<void> {
  const [mongod] = mongo.members;
  mongod?.pause();
  await delay(HANG_MS);
  mongod?.resume();
  for (const { name, url } of Object.values(servers)) {
    await until(() => expectAnswer(z.unknown(), `${url}/readyz`), { what: name });
  }
}
