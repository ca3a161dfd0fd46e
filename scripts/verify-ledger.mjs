// @ts-check
// `npm run verify-ledger -- [file or address] [--head seq:hash] [--heads file]`: whether the ledger is as it was written.
import process from "node:process";
import { listenForStop, runMain } from "./lib/cli.mjs";
import { prepareProject } from "./lib/prepare-project.mjs";

await runMain(async () => {
  const signal = listenForStop({ onSecond: () => process.exit(130) });
  await prepareProject(signal);
  const { register } = await import("tsx/esm/api");
  register();
  const { runVerifyLedger } = await import("./verify-ledger/run-verify-ledger.ts");
  const isIntact = await runVerifyLedger({ args: process.argv.slice(2), say: console.log, signal });
  if (!isIntact) process.exitCode = 1;
});
