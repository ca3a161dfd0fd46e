// @ts-check
import { readIfPresent } from "./file-hash.mjs";

/** Severities of mongod's log: fatal and error. */
const GRAVE = new Set(["F", "E"]);

/**
 * The last grave entry of a mongod's log, in its own words.
 *
 * @param {string} logFile
 * @returns {string | undefined}
 */
export function lastMongodError(logFile) {
  const lines = readIfPresent(logFile)?.trim().split("\n") ?? [];
  const entry = lines.map(parseEntry).findLast((line) => GRAVE.has(line?.s));
  if (!entry) return;
  const detail = entry.attr?.error?.errmsg ?? entry.attr?.error ?? entry.attr?.msg;
  return typeof detail === "string" ? `${entry.msg}: ${detail}` : entry.msg;
}

/** @param {string} line */
function parseEntry(line) {
  try {
    return JSON.parse(line);
  } catch {
    // A line that is not JSON comes from the system, for example from the dynamic linker.
    return;
  }
}
