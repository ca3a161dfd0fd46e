// @ts-check
// `npm run test:fuzz`: the API against what schemathesis makes of its own description.
import process from "node:process";
import { listenForStop, runMain } from "./lib/cli.mjs";
import { prepareProject } from "./lib/prepare-project.mjs";

await runMain(async () => {
  const signal = listenForStop({ onSecond: () => process.exit(130) });
  await prepareProject(signal);
  const { register } = await import("tsx/esm/api");
  register();
  const { runFuzz } = await import("./fuzz/run-fuzz.ts");
  await runFuzz(signal);
});
