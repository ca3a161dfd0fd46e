import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { descendantsOf, freePort, stillRunning } from "@shared/testing/spawn-service.ts";
import { testDatabaseUri } from "@shared/testing/test-mongo.ts";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { npmCommand, projectRoot } from "./lib/prepare-project.mjs";

/** Each look at the processes starts `ps`. */
const TIMEOUT = { timeout: 60_000, interval: 250 };

const uri = testDatabaseUri();
let folder = "";
/** All processes of this test, to be killed if it fails. */
const startedPids: number[] = [];
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "service-"));
});
afterAll(() => {
  for (const pid of stillRunning(startedPids)) process.kill(pid, "SIGKILL");
  rmSync(folder, { recursive: true, force: true });
});

/** Runs `npm run server` in a process group of its own, as a terminal would. */
async function npmRunServer() {
  const { command, args } = npmCommand(["run", "server", "--silent"]);
  const npm = spawn(command, args, {
    cwd: projectRoot,
    detached: true,
    env: {
      ...process.env,
      MONGODB_URI: uri,
      API_PORT: String(await freePort()),
      DATA_DIR: folder,
      JWT_SECRET: "a test secret of more than 32 characters",
      ADMIN_PASSWORD: "correct horse",
      LOG_LEVEL: "info",
    },
    stdio: ["ignore", "pipe", "pipe"],
  });
  const pid = npm.pid ?? Number.NaN;
  startedPids.push(pid);
  let output = "";
  for (const stream of [npm.stdout, npm.stderr]) {
    stream.on("data", (chunk) => {
      output += chunk;
    });
  }
  await vi.waitFor(() => expect(output).toContain('"server ready"'), TIMEOUT);
  const pids = descendantsOf(pid);
  startedPids.push(...pids);
  expect(pids).not.toEqual([]);
  return { npm, pid, pids, output: () => output };
}

describe("npm run server", () => {
  it.each([
    { when: "npm gets SIGTERM", stop: (pid: number) => process.kill(pid, "SIGTERM") },
    { when: "the terminal gets Ctrl-C", stop: (pid: number) => process.kill(-pid, "SIGINT") },
    { when: "npm is killed", stop: (pid: number) => process.kill(pid, "SIGKILL") },
  ])(
    "shuts down, and leaves no process behind, when $when",
    async ({ stop }) => {
      const { npm, pid, pids, output } = await npmRunServer();
      const exited = once(npm, "exit");
      stop(pid);
      await exited;
      await vi.waitFor(() => expect(stillRunning(pids)).toEqual([]), TIMEOUT);
      await vi.waitFor(() => expect(output()).toContain('"stopping"'), TIMEOUT);
      expect(output()).not.toContain("did not stop in order");
    },
    120_000,
  );
});
