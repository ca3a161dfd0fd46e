import { createHash, randomUUID } from "node:crypto";
import { mkdir, readFile, rename, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { z } from "zod";
import {
  type AdviceReply,
  type AdviceRequest,
  type Analyst,
  adviceSchema,
} from "../analysis/analyst.ts";

const cachedReplySchema = z.object({
  advice: adviceSchema,
  model: z.string(),
  prompt: z.string(),
  rawReply: z.string(),
});

export interface CacheUse {
  asked: number;
  kept: number;
}

/**
 * Stores answers as `<directory>/<sha256 of model and prompt>.json`, so that no request is paid for twice.
 * Failures and cut off answers are not stored.
 */
export function cachedAnalyst(options: {
  analyst: Analyst;
  model: string;
  /** Everything that the model is sent, including corrections. */
  promptOf: (request: AdviceRequest) => string;
  directory: string;
}): { analyst: Analyst; use: CacheUse } {
  const { analyst, model, promptOf, directory } = options;
  const use: CacheUse = { asked: 0, kept: 0 };
  const advise = async (request: AdviceRequest): Promise<AdviceReply> => {
    const question = JSON.stringify([model, promptOf(request)]);
    const file = join(directory, `${createHash("sha256").update(question).digest("hex")}.json`);
    const kept = await readReply(file);
    if (kept) {
      use.kept += 1;
      return kept;
    }
    use.asked += 1;
    const reply = await analyst.advise(request);
    if (reply.cutOff === undefined) await writeReply(file, reply);
    return reply;
  };
  return { analyst: { ...analyst, advise }, use };
}

async function readReply(file: string): Promise<AdviceReply | null> {
  try {
    return cachedReplySchema.parse(JSON.parse(await readFile(file, "utf8")));
  } catch (error) {
    // Missing, damaged or outdated answers are requested.
    if (error instanceof Error && "code" in error && error.code !== "ENOENT") throw error;
    return null;
  }
}

/** Renamed when complete, so that a stopped run leaves no partial answer. */
async function writeReply(file: string, reply: AdviceReply): Promise<void> {
  const { advice, model, prompt, rawReply } = reply;
  await mkdir(dirname(file), { recursive: true });
  const unfinished = `${file}.${randomUUID()}.part`;
  await writeFile(unfinished, JSON.stringify({ advice, model, prompt, rawReply }));
  await rename(unfinished, file);
}
