// @ts-check
import { createHash } from "node:crypto";
import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { homedir } from "node:os";
import { join, relative } from "node:path";

const SKIPPED_FOLDERS = new Set(["node_modules", "dist"]);

/**
 * One hash of the names and contents of files and folders, and of further texts. Missing files count as empty.
 *
 * @param {{ root: string, paths: readonly string[], texts?: readonly string[] }} input paths relative to the root
 */
export function hashFiles({ root, paths, texts = [] }) {
  const hash = createHash("sha256");
  for (const file of paths.flatMap((path) => listFiles(join(root, path)))) {
    hash
      .update(`${relative(root, file)}\0`)
      .update(readFileSync(file))
      .update("\0");
  }
  for (const text of texts) hash.update(`${text}\0`);
  return hash.digest("hex");
}

/**
 * @param {string} path a file or a folder
 * @returns {string[]} all files at or below it, sorted
 */
function listFiles(path) {
  if (!existsSync(path)) return [];
  if (!statSync(path).isDirectory()) return [path];
  return readdirSync(path)
    .filter((name) => !SKIPPED_FOLDERS.has(name))
    .sort()
    .flatMap((name) => listFiles(join(path, name)));
}

/** Folder for downloads, shared by all clones of this user. */
export function cacheFolder(env = process.env) {
  return join(env.XDG_CACHE_HOME || join(homedir(), ".cache"), "ai-trading-signals");
}
