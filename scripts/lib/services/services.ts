import { spawn } from "node:child_process";
import { createInterface } from "node:readline";
import { z } from "zod";
import { projectRoot } from "../prepare-project.mjs";
import { SupervisedService } from "./supervised-service.ts";

/**
 * Requests leave much garbage that is short-lived. With a larger young generation (64 MB instead of 16), a server answers
 * about a tenth more of them.
 */
export const SERVER_NODE_OPTIONS = "--max-semi-space-size=64";

const NODE_ARGUMENTS = {
  server: [SERVER_NODE_OPTIONS, "--import", "tsx", "server/src/main.ts"],
  worker: ["--import", "tsx", "worker/src/main.ts"],
  client: ["scripts/run.mjs", "client"],
};

/**
 * A service of the product, not started yet. It has a session of its own, so that a Ctrl-C in the terminal reaches it only
 * through the launcher, and it stops when the launcher has exited.
 */
export function createService(
  name: keyof typeof NODE_ARGUMENTS,
  env: NodeJS.ProcessEnv,
  { say, isDev }: { say: (line: string) => void; isDev: boolean },
): SupervisedService {
  const output = process.stdout.isTTY ? "pipe" : "inherit";
  const preload = ["--import", "./scripts/lib/services/exit-with-parent.mjs"];
  const flags = name === "client" && isDev ? ["--dev"] : [];
  const args = [...preload, ...NODE_ARGUMENTS[name], ...flags];
  const launch = () => {
    const child = spawn(process.execPath, args, {
      cwd: projectRoot,
      env,
      detached: true,
      windowsHide: true,
      stdio: ["ignore", output, output, "ipc"],
    });
    for (const stream of [child.stdout, child.stderr]) {
      if (!stream) continue;
      createInterface({ input: stream }).on("line", (line) =>
        console.log(`[${name}] ${readableLine(line)}`),
      );
    }
    return child;
  };
  return new SupervisedService({ name, launch, say });
}

const LEVELS = new Map([
  [40, "warning: "],
  [50, "error: "],
  [60, "fatal: "],
]);

const logEntrySchema = z.looseObject({ level: z.number(), msg: z.string().default("") });
const errorSchema = z.looseObject({ stack: z.string(), message: z.string() });

/** Fields of a log entry that add nothing on a terminal. */
const HIDDEN_FIELDS = new Set(["level", "time", "pid", "hostname", "service", "msg"]);

export function readableLine(line: string): string {
  const entry = logEntrySchema.safeParse(parseJson(line));
  if (!entry.success) return line;
  const { level, msg } = entry.data;
  const fields = Object.entries(entry.data)
    .filter(([name]) => !HIDDEN_FIELDS.has(name))
    .map(([name, value]) => `${name}=${formatValue(value)}`);
  return [`${LEVELS.get(level) ?? ""}${msg}`, ...fields].join(" ").trim();
}

function formatValue(value: unknown): string {
  if (typeof value === "string") return value;
  const error = errorSchema.safeParse(value);
  return error.success ? error.data.message : JSON.stringify(value);
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return;
  }
}
