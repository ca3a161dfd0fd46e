import { spawn } from "node:child_process";
import { afterEach, describe, expect, it, vi } from "vitest";
import { SupervisedService } from "./supervised-service.mjs";

const LIVES = "setInterval(() => {}, 1000)";
const IGNORES_SIGTERM = `process.on("SIGTERM", () => {}); console.log("ready"); ${LIVES}`;

const running: SupervisedService[] = [];
afterEach(() => {
  for (const part of running.splice(0)) part.kill();
});

function createPart(script: string, options: { graceMs?: number } = {}) {
  const lines: string[] = [];
  const output: string[] = [];
  const part = new SupervisedService({
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
  running.push(part);
  part.start();
  return { part, lines, output };
}

function isAlive(pid: number | undefined): boolean {
  if (pid === undefined) return false;
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

describe("a supervised part", () => {
  it("is started again when it is killed, and one line says so", async () => {
    const { part, lines } = createPart(LIVES);
    const first = part.pid;
    process.kill(first ?? 0, "SIGKILL");
    await vi.waitFor(() => expect(part.pid).toBeGreaterThan(0));
    await vi.waitFor(() => expect(part.pid).not.toBe(first));
    expect(isAlive(part.pid)).toBe(true);
    expect(lines).toEqual(["The worker stopped (SIGKILL); starting it again in 0.01 s."]);
  });

  it("is started again when it ends by itself, with each failure in a row counted", async () => {
    const { part, lines } = createPart("process.exit(3)");
    await vi.waitFor(() => expect(part.failures).toBeGreaterThanOrEqual(3), { timeout: 10_000 });
    expect(lines[0]).toContain("exit code 3");
  });

  it("is told to stop and leaves no process behind", async () => {
    const { part, lines } = createPart(LIVES);
    const { pid } = part;
    await part.stop();
    expect(isAlive(pid)).toBe(false);
    expect(part.pid).toBeUndefined();
    expect(lines).toEqual([]);
  });

  it("is killed when it does not stop in its time", async () => {
    const { part, output } = createPart(IGNORES_SIGTERM, { graceMs: 50 });
    await vi.waitFor(() => expect(output.join("")).toContain("ready"));
    const { pid } = part;
    await part.stop();
    expect(isAlive(pid)).toBe(false);
  });

  it("stays down when it is stopped while waiting for its next start", async () => {
    const { part, lines } = createPart("process.exit(1)");
    await vi.waitFor(() => expect(lines.length).toBeGreaterThan(0));
    await part.stop();
    const said = lines.length;
    const control = createPart("process.exit(1)");
    await vi.waitFor(() => expect(control.part.failures).toBeGreaterThanOrEqual(2), {
      timeout: 10_000,
    });
    expect(lines).toHaveLength(said);
    expect(part.pid).toBeUndefined();
  });

  it("is another process after a restart on purpose, which is no failure", async () => {
    const { part, lines } = createPart(LIVES);
    const first = part.pid;
    await part.restart();
    expect(isAlive(first)).toBe(false);
    expect(isAlive(part.pid)).toBe(true);
    expect(lines).toEqual([]);
  });
});
