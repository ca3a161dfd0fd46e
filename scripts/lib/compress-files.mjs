// @ts-check
import { readdir, readFile, writeFile } from "node:fs/promises";
import { extname, join } from "node:path";
import { promisify } from "node:util";
import { brotliCompress, gzip } from "node:zlib";

const TEXT_FILES = new Set([".css", ".html", ".js", ".json", ".svg", ".txt", ".webmanifest"]);

/** Below this a compressed copy saves no packet. */
const WORTHWHILE_BYTES = 1_024;

const toBrotli = promisify(brotliCompress);
const toGzip = promisify(gzip);

/**
 * Puts a `.br` and a `.gz` copy beside every text file, for the web host to send as they are.
 *
 * @param {string} folder
 */
export async function compressFiles(folder) {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  for (const entry of entries) {
    if (!entry.isFile() || !TEXT_FILES.has(extname(entry.name))) continue;
    const file = join(entry.parentPath, entry.name);
    const content = await readFile(file);
    if (content.byteLength < WORTHWHILE_BYTES) continue;
    const [brotli, gzipped] = await Promise.all([toBrotli(content), toGzip(content)]);
    await Promise.all([writeFile(`${file}.br`, brotli), writeFile(`${file}.gz`, gzipped)]);
  }
}
