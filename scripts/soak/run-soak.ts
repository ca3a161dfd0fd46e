import { setTimeout as delay } from "node:timers/promises";
import { parseArgs } from "node:util";
import { expectAnswer } from "@shared/testing/call-api.ts";
import { chartImage } from "@shared/testing/images.ts";
import { z } from "zod";
import { type FaultHarness, startHarness } from "../faults/harness/harness.ts";
import type { ServiceSlot } from "../faults/harness/service-slot.ts";
import { until } from "../faults/harness/until.ts";
import { assertInvariants } from "../faults/invariants/assert-invariants.ts";
import { CliError, type Command } from "../lib/cli.mjs";
import { MemoryLog } from "./memory-log.ts";
import { Traffic } from "./traffic.ts";

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

const argsSchema = z.object({
  minutes: z.coerce.number().int().min(1).max(1_440).default(10),
  seed: z.coerce.number().int().min(1).default(1),
});
type SoakOptions = z.infer<typeof argsSchema>;

/** Runs traffic for minutes while a process is killed every minute, and checks the invariants afterwards. */
export async function main({ args, say, signal }: Command): Promise<void> {
  const options = parse(args);
  say(`${TRADERS} traders, ${options.minutes} minutes, seed ${options.seed}`);
  const harness = await startHarness({ aiTimeMs: AI_TIME_MS });
  try {
    for (let index = 0; index < TRADERS; index += 1) await harness.signUp({ credits: CREDITS });
    const faults = await soak(harness, options, signal);
    const signals = await harness.database.signals.countDocuments();
    say(`${signals} signals, ${faults.length} faults`);
    if (faults.length > 0) throw new CliError(faults.join("\n"));
  } finally {
    await harness.close();
  }
}

function parse(args: readonly string[]): SoakOptions {
  const options = { minutes: { type: "string" }, seed: { type: "string" } } as const;
  try {
    return argsSchema.parse(parseArgs({ args: [...args], options }).values);
  } catch (cause) {
    throw new CliError("Usage: npm run test:soak -- [--minutes 10] [--seed 1]", { cause });
  }
}

async function soak(
  harness: FaultHarness,
  { minutes, seed }: SoakOptions,
  signal: AbortSignal,
): Promise<string[]> {
  const traffic = new Traffic(harness, await chartImage(1).png().toBuffer());
  const memory = new MemoryLog();
  const stop = new AbortController();
  const sampling = setInterval(() => void memory.sample(processesOf(harness)), SAMPLE_INTERVAL_MS);
  const working = traffic.run(seed, stop.signal);
  try {
    console.table(await killOneByOne(harness, minutes, signal));
  } finally {
    stop.abort();
    clearInterval(sampling);
    await working;
  }
  console.table(traffic.rows());
  const rows = memory.rows(MAX_GROWTH_MB_PER_MINUTE);
  console.table(rows);
  const grown = rows.filter(({ name, grewTooMuch }) => grewTooMuch && name !== DATABASE);
  const faults = [...traffic.faults, ...grown.map(({ name }) => `${name} grew too much`)];
  await assertInvariants(harness).catch((error: unknown) => faults.push(String(error)));
  return faults;
}

function processesOf({ services, mongo }: FaultHarness): { name: string; pid: number }[] {
  const members = mongo.members.map(({ pid }) => ({ name: DATABASE, pid }));
  return [...services.map(({ name, pid }) => ({ name, pid })), ...members];
}

const MINUTE_MS = 60_000;
const HANG_MS = 10_000;

/** Interrupts the next process every minute but the last. Returns the time until each was ready again. */
async function killOneByOne(harness: FaultHarness, minutes: number, signal: AbortSignal) {
  const { servers, workers } = harness;
  const faults = [servers.a, workers.a, servers.b, workers.b, undefined];
  const kills: { minute: number; process: string; readyAfterMs: number }[] = [];
  const startedAt = performance.now();
  const untilMinute = (minute: number) =>
    delay(Math.max(0, startedAt + minute * MINUTE_MS - performance.now()), undefined, { signal });
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
