// @ts-check
// `npm run soak [-- --minutes 10] [--seed 1]`: twenty traders at work for minutes, while one part after the other dies.
import process from "node:process";
import { CliError, listenForStop, runMain } from "./lib/cli.mjs";
import { prepareProject } from "./lib/prepare-project.mjs";

await runMain(async () => {
  const signal = listenForStop({ onSecond: () => process.exit(130) });
  await prepareProject(signal);
  const { register } = await import("tsx/esm/api");
  register();
  const { runSoak } = await import("./faults/soak/run-soak.ts");
  const isSound = await runSoak({ args: process.argv.slice(2), say: console.log, signal });
  if (!isSound) throw new CliError("The product did not stand it.");
});
