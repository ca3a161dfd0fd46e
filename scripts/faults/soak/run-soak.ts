import { parseArgs } from "node:util";
import { chartPicture } from "@shared/testing/pictures.ts";
import { z } from "zod";
import { PlainError } from "../../lib/plain-error.mjs";
import { assertSound } from "../invariants/assert-sound.ts";
import { type Stage, setStage } from "../stage/stage.ts";
import { killInTurn } from "./deaths.ts";
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
 * @throws PlainError on orders that it does not understand
 */
export async function runSoak({ args, say, signal }: Command): Promise<boolean> {
  const { minutes, seed } = readOrders(args);
  say(`${TRADERS} traders, ${minutes} minutes, seed ${seed}; a part dies every minute.`);
  const stage = await setStage({ aiTimeMs: AI_TIME_MS });
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
    throw new PlainError("npm run soak [-- --minutes 10] [--seed 1]", { cause: error });
  }
}

async function soak(
  stage: Stage,
  { minutes, seed, say, signal }: { minutes: number; seed: number } & Omit<Command, "args">,
): Promise<boolean> {
  const picture = await chartPicture(1).png().toBuffer();
  const traffic = new Traffic({ stage, picture, seed });
  const memory = new MemoryLog();
  const over = new AbortController();
  const sampling = setInterval(() => void memory.sample(processesOf(stage)), SAMPLE_EVERY_MS);
  const working = traffic.run(over.signal);
  try {
    const deaths = await killInTurn(stage, { minutes, signal, say });
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
  await assertSound(stage).catch((error: unknown) => faults.push(String(error)));
  for (const fault of faults) say(fault);
  const signals = await stage.database.signals.countDocuments();
  say(`${signals} signals; ${faults.length === 0 ? "everything is sound." : "NOT sound."}`);
  return faults.length === 0;
}

/** The processes of this moment. */
function processesOf({ parts, mongo }: Stage): { name: string; pid: number }[] {
  const members = mongo.members.map(({ pid }) => ({ name: DATABASE, pid }));
  return [...parts.map(({ name, pid }) => ({ name, pid })), ...members];
}
