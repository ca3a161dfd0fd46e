import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { cpSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { descendantsOf, freePort, stillRunning } from "@shared/testing/spawn-service.ts";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { apiUrl, clientUrl, product } from "../e2e/support/config.ts";
import { npmCommand, projectRoot } from "./lib/prepare-project.mjs";
import { runCommand } from "./lib/run-command.ts";
import { isPortFree } from "./lib/services/launch.ts";

const STARTING_MS = 120_000;

let dataDir = "";
let env: NodeJS.ProcessEnv = {};
const children: ChildProcess[] = [];

/** Runs `npm start` in a process group of its own, as a terminal would. */
function run(overrides: NodeJS.ProcessEnv = {}) {
  const { command, args } = npmCommand(["start", "--silent"]);
  const child = spawn(command, args, {
    cwd: projectRoot,
    detached: true,
    env: { ...env, ...overrides },
    stdio: ["ignore", "pipe", "pipe"],
  });
  children.push(child);
  const seen = { text: "" };
  for (const stream of [child.stdout, child.stderr]) {
    stream.on("data", (chunk) => {
      seen.text += chunk;
    });
  }
  return { child, pid: child.pid ?? Number.NaN, seen };
}

async function runUntilReady() {
  const product = run();
  await vi.waitFor(() => expect(product.seen.text).toContain("is ready."), {
    timeout: STARTING_MS,
  });
  return product;
}

async function exitCodeOf(child: ChildProcess): Promise<number | null> {
  if (child.exitCode === null && child.signalCode === null) await once(child, "exit");
  return child.exitCode;
}

/** npm may exit before the product does: some shells do not pass its signal on. */
async function expectStopped(pids: readonly number[]) {
  expect(pids.length).toBeGreaterThanOrEqual(5);
  await vi.waitFor(() => expect(stillRunning(pids)).toEqual([]), {
    timeout: 60_000,
    interval: 250,
  });
  for (const port of [env.API_PORT, env.CLIENT_PORT]) {
    expect(await isPortFree(Number(port))).toBe(true);
  }
  expect(readFileSync(join(dataDir, "mongo", "mongod.lock"), "utf8")).toBe("");
}

/** Process ids that the server gave in its log, one for each of its starts. */
function serverPids(text: string): number[] {
  return [...text.matchAll(/"pid":(\d+),"port":\d+,"msg":"server ready"/g)].map((match) =>
    Number(match[1]),
  );
}

beforeAll(async () => {
  dataDir = mkdtempSync(join(tmpdir(), "start-"));
  env = {
    ...process.env,
    NODE_ENV: "development",
    API_PORT: String(await freePort()),
    CLIENT_PORT: String(await freePort()),
    DATA_DIR: dataDir,
    // The pages of the browser tests, which are built only once.
    VITE_API_URL: apiUrl,
    CLIENT_ORIGIN: clientUrl,
    MARKET_DATA: "replay",
    DEMO_RECORD: "off",
    MONGODB_URI: "",
    ADMIN_PASSWORD: "",
    LOG_LEVEL: "info",
  };
  const build = { command: process.execPath, args: ["scripts/run.mjs", "build"] };
  await runCommand({ ...build, cwd: projectRoot, env: { ...env, DATA_DIR: product.dataDir } });
  const built = resolve(projectRoot, product.dataDir, "client");
  cpSync(built, join(dataDir, "client"), { recursive: true });
}, STARTING_MS);
afterAll(async () => {
  for (const child of children) {
    const pids = descendantsOf(child.pid ?? Number.NaN);
    child.kill("SIGTERM");
    await exitCodeOf(child);
    await vi.waitFor(() => expect(stillRunning(pids)).toEqual([]), {
      timeout: 20_000,
      interval: 250,
    });
  }
  rmSync(dataDir, { recursive: true, force: true });
});

describe("npm start", () => {
  it("runs the product, repairs it, refuses a second one, and stops all of it on Ctrl-C", async () => {
    const { child, pid, seen } = await runUntilReady();
    const [firstServer] = serverPids(seen.text);

    expect(seen.text).toContain(`http://localhost:${env.CLIENT_PORT}`);
    const { adminPassword } = JSON.parse(readFileSync(join(dataDir, "secrets.json"), "utf8"));
    expect(seen.text).toContain(`admin with password ${adminPassword}`);

    const { password } = new URL(readFileSync(join(dataDir, "mongo-address"), "utf8"));
    const listed = await runCommand({ command: "ps", args: ["-eww", "-o", "args="] });
    expect(listed.stdout).toContain(dataDir);
    expect(password).not.toBe("");
    expect(seen.text + listed.stdout).not.toContain(password);

    const second = run();
    expect(await exitCodeOf(second.child)).toBe(1);
    expect(second.seen.text).toMatch(/^Port \d+ is in use: .*\n$/);

    process.kill(firstServer ?? Number.NaN, "SIGKILL");
    await vi.waitFor(() => expect(serverPids(seen.text)).toHaveLength(2), { timeout: 30_000 });
    expect(seen.text).toContain("The server stopped (SIGKILL); starting it again in 0.5 s.");

    const pids = descendantsOf(pid);
    // Every process of the terminal receives it.
    process.kill(-pid, "SIGINT");
    await exitCodeOf(child);
    await expectStopped(pids);
    expect(seen.text).toContain("Stopping ...");
    expect(seen.text).not.toContain('"signal":"SIGINT"');
  }, 240_000);

  it("stops all of it when npm and the launcher are killed", async () => {
    const { child, pid } = await runUntilReady();
    const pids = descendantsOf(pid);
    process.kill(-pid, "SIGKILL");
    await exitCodeOf(child);
    await expectStopped(pids);
  }, 240_000);

  it("names a bad setting in one line", async () => {
    const { child, seen } = run({ API_PORT: "eighty" });
    expect(await exitCodeOf(child)).toBe(1);
    expect(seen.text).toMatch(/^API_PORT: .*\n$/);
  });
});
