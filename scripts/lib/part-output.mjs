// @ts-check
import { createInterface } from "node:readline";

const LEVELS = new Map([
  [40, "warning: "],
  [50, "error: "],
  [60, "fatal: "],
]);

/** Fields of a log entry that say nothing new to somebody in front of the terminal. */
const HIDDEN_FIELDS = new Set(["level", "time", "pid", "hostname", "part", "msg"]);

/**
 * Shows the output of a part in the terminal, each line after the part's name.
 *
 * @param {{ name: string, from: NodeJS.ReadableStream, to: NodeJS.WritableStream }} options
 */
export function prefixLines({ name, from, to }) {
  createInterface({ input: from }).on("line", (line) => {
    to.write(`[${name}] ${readableLine(line)}\n`);
  });
}

/**
 * A structured log entry as one line for people; any other line as it is.
 *
 * @param {string} line
 */
export function readableLine(line) {
  const entry = parseEntry(line);
  if (!entry) return line;
  const fields = Object.entries(entry)
    .filter(([name]) => !HIDDEN_FIELDS.has(name))
    .map(([name, value]) => `${name}=${typeof value === "string" ? value : shorten(value)}`);
  return [`${LEVELS.get(entry.level) ?? ""}${entry.msg ?? ""}`, ...fields].join(" ").trim();
}

/** @param {unknown} value an error is told by its message */
function shorten(value) {
  const isError = typeof value === "object" && value !== null && "stack" in value;
  return isError && "message" in value ? String(value.message) : JSON.stringify(value);
}

/**
 * @param {string} line
 * @returns {{ level: number, msg?: string } | undefined}
 */
function parseEntry(line) {
  if (!line.startsWith("{")) return;
  try {
    const entry = JSON.parse(line);
    return typeof entry.level === "number" ? entry : undefined;
  } catch {
    return;
  }
}
