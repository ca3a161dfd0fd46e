// @ts-check
// `npm run test:faults [-- name]`: real servers, workers and databases die at every step; nothing may be lost.
import process from "node:process";
import { packageBin } from "./lib/package-bin.mjs";
import { PlainError } from "./lib/plain-error.mjs";
import { prepareProject } from "./lib/prepare-project.mjs";
import { projectRoot } from "./lib/project-root.mjs";
import { runCommand } from "./lib/run-command.mjs";
import { runMain } from "./lib/run-main.mjs";
import { listenForStop } from "./lib/stop-signal.mjs";

await runMain(async () => {
  const signal = listenForStop({ onSecond: () => process.exit(130) });
  await prepareProject(signal);
  const { code } = await runCommand({
    command: process.execPath,
    args: [
      packageBin("vitest"),
      "run",
      "--config",
      "scripts/faults/vitest.config.ts",
      ...process.argv.slice(2),
    ],
    cwd: projectRoot,
    output: "inherit",
    signal,
  });
  signal.throwIfAborted();
  if (code !== 0) throw new PlainError("The product does not survive every fault.");
});
