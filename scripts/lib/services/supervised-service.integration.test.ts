import { spawn } from "node:child_process";
import { afterEach, describe, expect, it, vi } from "vitest";
import { SupervisedService } from "./supervised-service.ts";

const KEEPS_RUNNING = "setInterval(() => {}, 1000)";
const IGNORES_SIGTERM = `process.on("SIGTERM", () => {}); console.log("ready"); ${KEEPS_RUNNING}`;

const running: SupervisedService[] = [];
afterEach(async () => {
  for (const service of running.splice(0)) await service.stop();
});

function createService(script: string, options: { graceMs?: number } = {}) {
  const lines: string[] = [];
  const output: string[] = [];
  const service = new SupervisedService({
    name: "worker",
    launch: () => {
      const child = spawn(process.execPath, ["--eval", script], {
        stdio: ["ignore", "pipe", "inherit"],
      });
      child.stdout.on("data", (chunk) => output.push(String(chunk)));
      return child;
    },
    say: (line) => void lines.push(line),
    delayMs: () => 10,
    ...options,
  });
  running.push(service);
  service.start();
  return { service, lines, output };
}

function isRunning(pid: number | undefined): boolean {
  if (pid === undefined) return false;
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

describe("a supervised service", () => {
  it("is started again when it is killed, and one line says so", async () => {
    const { service, lines } = createService(KEEPS_RUNNING);
    const first = service.pid;
    process.kill(first ?? Number.NaN, "SIGKILL");
    const isReplaced = () => service.pid !== undefined && service.pid !== first;
    await vi.waitUntil(isReplaced, { timeout: 10_000 });
    expect(isRunning(service.pid)).toBe(true);
    expect(lines).toEqual(["The worker stopped (SIGKILL); starting it again in 0.01 s."]);
  });

  it("is started again when it ends by itself, with each failure in a row counted", async () => {
    const { service, lines } = createService("process.exit(3)");
    await vi.waitFor(() => expect(service.failures).toBeGreaterThanOrEqual(3), { timeout: 10_000 });
    expect(lines[0]).toContain("exit code 3");
  });

  it("stops and leaves no process behind", async () => {
    const { service, lines } = createService(KEEPS_RUNNING);
    const { pid } = service;
    await service.stop();
    expect(isRunning(pid)).toBe(false);
    expect(service.pid).toBeUndefined();
    expect(lines).toEqual([]);
  });

  it("is killed when it does not stop in its time", async () => {
    const { service, output } = createService(IGNORES_SIGTERM, { graceMs: 50 });
    await vi.waitFor(() => expect(output.join("")).toContain("ready"), { timeout: 10_000 });
    const { pid } = service;
    await service.stop();
    expect(isRunning(pid)).toBe(false);
  });

  it("stays down when it is stopped while waiting for its next start", async () => {
    const { service, lines } = createService("process.exit(1)");
    await vi.waitFor(() => expect(lines.length).toBeGreaterThan(0), { timeout: 10_000 });
    await service.stop();
    const said = lines.length;
    const control = createService("process.exit(1)");
    await vi.waitFor(() => expect(control.service.failures).toBeGreaterThanOrEqual(2), {
      timeout: 10_000,
    });
    expect(lines).toHaveLength(said);
    expect(service.pid).toBeUndefined();
  });

  it("is another process after a restart on purpose, which is no failure", async () => {
    const { service, lines } = createService(KEEPS_RUNNING);
    const first = service.pid;
    await service.restart();
    expect(isRunning(first)).toBe(false);
    expect(isRunning(service.pid)).toBe(true);
    expect(lines).toEqual([]);
  });
});
