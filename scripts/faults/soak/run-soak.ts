import { setTimeout as delay } from "node:timers/promises";
import { parseArgs } from "node:util";
import { chartImage } from "@shared/testing/images.ts";
import { z } from "zod";
import { CliError } from "../../lib/cli.mjs";
import { expectAnswer } from "../harness/api.ts";
import { type FaultHarness, startHarness } from "../harness/harness.ts";
import type { ServiceSlot } from "../harness/service-slot.ts";
import { until } from "../harness/until.ts";
import { assertInvariants } from "../invariants/assert-invariants.ts";
import { MemoryLog } from "./memory-log.ts";
import { Traffic } from "./traffic.ts";

const TRADERS = 20;
const CREDITS = 10_000;
/** How long the AI takes. */
const AI_TIME_MS = 500;
const SAMPLE_EVERY_MS = 5_000;
/**
 * What a warm process may grow by. A garbage collection moves a straight line through two minutes by some MB; a leak of
 * one signal's candles per signal would be five times as much.
 */
const MOST_GROWTH_MB_PER_MINUTE = 20;

/** Shown and not judged: it fills its cache with what is stored, up to its limit of 256 MB. */
const DATABASE = "mongod";

const ordersSchema = z.object({
  minutes: z.coerce
    .number()
    .int()
    .min(1)
    .max(24 * 60)
    .default(10),
  seed: z.coerce.number().int().min(1).default(1),
});

interface Command {
  args: string[];
  say: (line: string) => void;
  signal: AbortSignal;
}

/**
 * Lets traders work for minutes while one part after the other dies, and holds the product to what has to be true then.
 * @returns whether nothing was lost, and no process grew by more than it may
 * @throws CliError on orders that it does not understand
 */
export async function runSoak({ args, say, signal }: Command): Promise<boolean> {
  const { minutes, seed } = readOrders(args);
  say(`${TRADERS} traders, ${minutes} minutes, seed ${seed}; a part dies every minute.`);
  const stage = await startHarness({ aiTimeMs: AI_TIME_MS });
  try {
    for (let index = 0; index < TRADERS; index += 1) await stage.signUp({ credits: CREDITS });
    return await soak(stage, { minutes, seed, say, signal });
  } finally {
    await stage.close();
  }
}

function readOrders(args: string[]): z.infer<typeof ordersSchema> {
  const options = { minutes: { type: "string" }, seed: { type: "string" } } as const;
  try {
    return ordersSchema.parse(parseArgs({ args, options }).values);
  } catch (error) {
    throw new CliError("npm run soak [-- --minutes 10] [--seed 1]", { cause: error });
  }
}

async function soak(
  stage: FaultHarness,
  { minutes, seed, say, signal }: { minutes: number; seed: number } & Omit<Command, "args">,
): Promise<boolean> {
  const picture = await chartImage(1).png().toBuffer();
  const traffic = new Traffic({ stage, picture, seed });
  const memory = new MemoryLog();
  const over = new AbortController();
  const sampling = setInterval(() => void memory.sample(processesOf(stage)), SAMPLE_EVERY_MS);
  const working = traffic.run(over.signal);
  try {
    const deaths = await killOneByOne(stage, { minutes, signal, say });
    console.table(deaths);
  } finally {
    over.abort();
    clearInterval(sampling);
    await working;
  }
  console.table(traffic.figures.rows());
  const rows = memory.rows(MOST_GROWTH_MB_PER_MINUTE);
  console.table(rows);
  const grown = rows.filter(({ name, grewTooMuch }) => grewTooMuch && name !== DATABASE);
  const faults = [...traffic.faults, ...grown.map(({ name }) => `${name} grew too much`)];
  await assertInvariants(stage).catch((error: unknown) => faults.push(String(error)));
  for (const fault of faults) say(fault);
  const signals = await stage.database.signals.countDocuments();
  say(`${signals} signals; ${faults.length === 0 ? "everything is sound." : "NOT sound."}`);
  return faults.length === 0;
}

/** The processes of this moment. */
function processesOf({ parts, mongo }: FaultHarness): { name: string; pid: number }[] {
  const members = mongo.members.map(({ pid }) => ({ name: DATABASE, pid }));
  return [...parts.map(({ name, pid }) => ({ name, pid })), ...members];
}

const MINUTE_MS = 60_000;
/** How long the database hangs. */
const HANG_MS = 10_000;
const readySchema = z.object({ status: z.literal("ok") });

/** One death, and how long it took until the part was at work again. */
export interface Death {
  minute: number;
  part: string;
  backAfterMs: number;
}

/** Every minute the next part dies, and is started again at once; nothing dies in the last one. */
export async function killOneByOne(
  stage: FaultHarness,
  options: { minutes: number; signal: AbortSignal; say: (line: string) => void },
): Promise<Death[]> {
  const { minutes, signal, say } = options;
  const { servers, workers } = stage;
  const turns = [
    () => restart(servers.a),
    () => restart(workers.a),
    () => restart(servers.b),
    () => restart(workers.b),
    () => hangDatabase(stage),
  ];
  const names = ["server-a", "worker-a", "server-b", "worker-b", "mongod (hangs)"];
  const deaths: Death[] = [];
  const startedAt = performance.now();
  for (let minute = 1; minute < minutes; minute += 1) {
    await delay(Math.max(0, minute * MINUTE_MS - (performance.now() - startedAt)), undefined, {
      signal,
    });
    const turn = (minute - 1) % turns.length;
    const diedAt = performance.now();
    await turns[turn]?.();
    const death = {
      minute,
      part: names[turn] ?? "",
      backAfterMs: Math.round(performance.now() - diedAt),
    };
    say(`minute ${minute}: ${death.part} died and was back after ${death.backAfterMs} ms`);
    deaths.push(death);
  }
  await delay(Math.max(0, minutes * MINUTE_MS - (performance.now() - startedAt)), undefined, {
    signal,
  });
  return deaths;
}

async function restart(part: ServiceSlot): Promise<void> {
  await part.kill();
  await part.start();
}

async function hangDatabase({ mongo, servers }: FaultHarness): Promise<void> {
  const [mongod] = mongo.members;
  mongod?.pause();
  await delay(HANG_MS);
  mongod?.resume();
  for (const via of Object.values(servers)) {
    await until(() => expectAnswer({ via, path: "/readyz" }, readySchema), { what: via.name });
  }
}
