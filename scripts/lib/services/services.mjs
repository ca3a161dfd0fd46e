// @ts-check
import { spawn } from "node:child_process";
import { createInterface } from "node:readline";
import { tsImport } from "tsx/esm/api";
import { projectRoot } from "../prepare-project.mjs";
import { SupervisedService } from "./supervised-service.mjs";

/** Node arguments that start each part, from the project's folder. */
const PART_ARGUMENTS = {
  server: ["--import", "tsx", "server/src/main.ts"],
  worker: ["--import", "tsx", "worker/src/main.ts"],
  client: ["scripts/client.mjs"],
};

/** @typedef {keyof typeof PART_ARGUMENTS} PartName */

/**
 * A part of the product under supervision, not started yet. It has a session of its own, so that a
 * Ctrl-C in the terminal reaches it only through the launcher; and it stops when the launcher is gone.
 *
 * @param {object} options
 * @param {PartName} options.name
 * @param {readonly string[]} [options.extraArguments]
 * @param {NodeJS.ProcessEnv} options.env
 * @param {(line: string) => void} options.say
 */
export function createService({ name, extraArguments = [], env, say }) {
  const isTerminal = Boolean(process.stdout.isTTY);
  const output = isTerminal ? "pipe" : "inherit";
  const preload = ["--import", "./scripts/lib/services/exit-with-parent.mjs"];
  const launch = () => {
    const child = spawn(
      process.execPath,
      [...preload, ...PART_ARGUMENTS[name], ...extraArguments],
      {
        cwd: projectRoot,
        env,
        detached: true,
        windowsHide: true,
        stdio: ["ignore", output, output, "ipc"],
      },
    );
    if (child.stdout) prefixLines({ name, from: child.stdout, to: process.stdout });
    if (child.stderr) prefixLines({ name, from: child.stderr, to: process.stderr });
    return child;
  };
  return new SupervisedService({ name, launch, say });
}

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

/**
 * The settings that all parts will see, `.env` included.
 *
 * @returns {Promise<import("../../../shared/runtime/settings.ts").Settings>}
 * @throws SettingsError naming the first bad setting
 */
export async function readSettings() {
  /** @type {typeof import("../../../shared/runtime/settings.ts")} */
  const { readDotEnv, loadSettings } = await tsImport(
    "../../../shared/runtime/settings.ts",
    import.meta.url,
  );
  readDotEnv();
  return loadSettings();
}
