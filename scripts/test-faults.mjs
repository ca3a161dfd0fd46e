// @ts-check
// `npm run test:faults [-- name]`: real servers, workers and databases die at every step; nothing may be lost.
import process from "node:process";
import { CliError, listenForStop, runMain } from "./lib/cli.mjs";
import { packageBin, runCommand } from "./lib/commands.mjs";
import { prepareProject, projectRoot } from "./lib/prepare-project.mjs";

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
  if (code !== 0) throw new CliError("The product does not survive every fault.");
});
