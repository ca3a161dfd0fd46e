import { appendFile, mkdir, readFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { sha256Schema } from "@shared/contract/ledger.ts";
import { z } from "zod";

/** The ledger's head as it was published for one day in UTC, such as `2025-01-31`. */
const publishedHeadSchema = z.object({
  day: z.iso.date(),
  seq: z.number().int().positive(),
  hash: sha256Schema,
  at: z.iso.datetime(),
});
export type PublishedHead = z.infer<typeof publishedHeadSchema>;

/** Where the published heads are kept, one JSON line a day, out of reach of whoever has the database only. */
export const headFile = (dataDir: string): string => join(dataDir, "ledger-heads.ndjson");

/**
 * The heads kept in a file; none if there is no such file. A line that was cut off while it was written is passed over.
 * @throws whatever keeps the file from being read
 */
export async function readHeadFile(file: string): Promise<PublishedHead[]> {
  const text = await readText(file);
  return text.split("\n").flatMap((line) => parseLine(line) ?? []);
}

/** Adds heads to the file, on disk before it resolves. */
export async function appendToHeadFile(
  file: string,
  heads: readonly PublishedHead[],
): Promise<void> {
  if (heads.length === 0) return;
  await mkdir(dirname(file), { recursive: true });
  const text = await readText(file);
  const start = text === "" || text.endsWith("\n") ? "" : "\n";
  const lines = heads.map((head) => `${JSON.stringify(head)}\n`).join("");
  await appendFile(file, start + lines, { flush: true });
}

async function readText(file: string): Promise<string> {
  try {
    return await readFile(file, "utf8");
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return "";
    throw error;
  }
}

function parseLine(line: string): PublishedHead | null {
  try {
    return publishedHeadSchema.safeParse(JSON.parse(line)).data ?? null;
  } catch {
    return null;
  }
}
