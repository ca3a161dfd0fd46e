import { appendFile, mkdir, readFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { type PublishedHead, publishedHeadSchema } from "@shared/contract/ledger-heads.ts";

/** The file in `folder` that keeps the published heads, one JSON line a day. */
export const headFile = (folder: string): string => join(folder, "ledger-heads.ndjson");

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
