import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";

const PROJECT_ROOT = new URL("../../", import.meta.url);

/** Where nobody listens: without it a worker would ask the vendor for what no stand-in has. */
const NOWHERE = "http://127.0.0.1:9";

/** A server or worker running as a process of its own, as in production. */
export interface SpawnedPart {
  readonly pid: number;
  /** All that it has logged so far, one JSON line each. */
  readonly lines: string[];
  /** `kill -9`: the process gets no chance to put anything in order. */
  kill(): Promise<void>;
  /** SIGTERM; resolves with the exit code. */
  stop(): Promise<number | null>;
}

/**
 * Starts a part as a process and waits until it says that it is ready. Its DATA_DIR goes with it, unless one is given.
 * @param entry its main file, from the project's root; the product's own unless told otherwise
 */
export async function spawnPart(
  part: "server" | "worker",
  env: Record<string, string>,
  entry = `${part}/src/main.ts`,
): Promise<SpawnedPart> {
  const ownFolder = mkdtempSync(join(tmpdir(), `${part}-`));
  const child = spawn(process.execPath, ["--import", "tsx", entry], {
    cwd: PROJECT_ROOT,
    env: {
      PATH: process.env.PATH,
      LOG_LEVEL: "info",
      DATA_DIR: ownFolder,
      YAHOO_URL: NOWHERE,
      LEDGER_CALENDARS: "off",
      ...env,
    },
    stdio: ["ignore", "pipe", "pipe"],
  });
  child.once("exit", () => rmSync(ownFolder, { recursive: true }));
  const exited = once(child, "exit");
  const lines: string[] = [];
  await untilReady(child, { part, lines });
  return {
    pid: child.pid ?? -1,
    lines,
    async kill() {
      child.kill("SIGKILL");
      await exited;
    },
    async stop() {
      child.kill("SIGTERM");
      await exited;
      return child.exitCode;
    },
  };
}

function untilReady(
  child: ChildProcess,
  options: { part: string; lines: string[] },
): Promise<void> {
  const { part, lines } = options;
  return new Promise((resolve, reject) => {
    const hear = (line: string) => {
      lines.push(line);
      if (line.includes(`"${part} ready"`)) resolve();
    };
    for (const stream of [child.stdout, child.stderr]) {
      if (stream) createInterface({ input: stream }).on("line", hear);
    }
    child.once("exit", () => reject(new Error(`${part} ended early:\n${lines.join("\n")}`)));
  });
}
