// @ts-check
// `npm test`: all suites, or those named on the command line. Ends with the line
// `N passed, N failed`; a failure does not keep the later suites from running.
import process from "node:process";
import { listenForStop, runMain } from "./lib/cli.mjs";
import { prepareProject } from "./lib/prepare-project.mjs";

await runMain(async () => {
  const signal = listenForStop({ onSecond: () => process.exit(130) });
  await prepareProject(signal);
  const { suites } = await import("./lib/test-run/test-suites.mjs");
  const { runSuites } = await import("./lib/test-run/run-suites.mjs");
  // Unless it completes: an interrupted run has not passed.
  process.exitCode = 1;
  const isComplete = await runSuites({ suites, names: process.argv.slice(2), signal });
  if (isComplete) process.exitCode = 0;
});
