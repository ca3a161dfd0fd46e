import { spawn } from "node:child_process";
import { once } from "node:events";
import { expect, it, vi } from "vitest";
import { projectRoot } from "./lib/prepare-project.mjs";

it("a test run that is interrupted does not pass", async () => {
  const child = spawn(process.execPath, ["scripts/run.mjs", "test", "types"], {
    cwd: projectRoot,
    stdio: ["ignore", "pipe", "ignore"],
  });
  const exited = once(child, "exit");
  let output = "";
  child.stdout.on("data", (chunk) => {
    output += chunk;
  });
  await vi.waitFor(() => expect(output).toContain("=== Type check"), { timeout: 30_000 });
  child.kill("SIGTERM");
  expect(await exited).toEqual([1, null]);
  expect(output).not.toContain("passed");
});
