import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";

const PROJECT_ROOT = new URL("../../", import.meta.url);

/** An address without a service, so that a worker does not call the real one. */
const NOWHERE = "http://127.0.0.1:9";

/** A server or worker as a separate process. */
export interface SpawnedService {
  readonly pid: number;
  readonly lines: string[];
  kill(): Promise<void>;
  /** Sends SIGTERM; resolves with the exit code. */
  stop(): Promise<number | null>;
}

/**
 * Starts a service as a process and waits until it is ready. By default it has a temporary DATA_DIR.
 * @param entry its main file; by default the one that the test run has bundled, otherwise its source
 */
export async function spawnService(
  part: "server" | "worker",
  env: Record<string, string>,
  entry = mainFile(part),
): Promise<SpawnedService> {
  const ownFolder = mkdtempSync(join(tmpdir(), `${part}-`));
  const loader = entry.endsWith(".ts") ? ["--import", "tsx"] : [];
  const child = spawn(process.execPath, [...loader, entry], {
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

function mainFile(part: string): string {
  const { BUNDLED_SERVICES: folder } = process.env;
  return folder ? join(folder, `${part}.mjs`) : `${part}/src/main.ts`;
}

/** An unused TCP port. */
export async function freePort(): Promise<number> {
  const server = createServer().listen(0);
  await once(server, "listening");
  const address = server.address();
  server.close();
  await once(server, "close");
  if (typeof address !== "object" || !address) throw new Error("no port was given");
  return address.port;
}
