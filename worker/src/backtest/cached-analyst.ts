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

/** How often the analyst itself was asked, and how often a kept answer did. */
export interface CacheUse {
  asked: number;
  kept: number;
}

/**
 * An analyst whose answers are kept as `<directory>/<sha256>.json`, so that the same question is never paid for twice.
 * The hash is of model and prompt, the corrections included. A file that cannot be read as an answer is asked for anew.
 * @throws what the analyst throws; failures and answers that were cut off are not kept
 */
export function cachedAnalyst(options: {
  analyst: Analyst;
  model: string;
  /** All that the model is told for a request, the corrections included. */
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
  const text = await readFile(file, "utf8").catch((error: unknown) => {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return null;
    throw error;
  });
  return text === null ? null : parseReply(text);
}

function parseReply(text: string): AdviceReply | null {
  try {
    return cachedReplySchema.parse(JSON.parse(text));
  } catch {
    // Damaged, or of an older form: asking again mends it.
    return null;
  }
}

/** Under its name only once it is whole: a run that is stopped leaves no half an answer. */
async function writeReply(file: string, reply: AdviceReply): Promise<void> {
  const { advice, model, prompt, rawReply } = reply;
  await mkdir(dirname(file), { recursive: true });
  const unfinished = `${file}.${randomUUID()}.part`;
  await writeFile(unfinished, JSON.stringify({ advice, model, prompt, rawReply }));
  await rename(unfinished, file);
}
