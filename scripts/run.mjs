// @ts-check
// Runs a command of package.json: `node scripts/run.mjs <command> [arguments]`.
import process from "node:process";
import { prepareTypeScript } from "./lib/prepare-project.mjs";

/** @typedef {{ main: (command: import("./lib/cli.ts").Command) => Promise<number | void> }} CommandModule */

/** @type {Record<string, () => Promise<CommandModule>>} */
const COMMANDS = {
  start: () => import("./lib/services/launch.ts"),
  client: () => import("./lib/client-build/serve-client.ts"),
  build: () => import("./lib/client-build/client-build.ts"),
  test: () => import("./lib/test-run/test-suites.ts"),
  suite: () => import("./lib/test-run/run-tool.ts"),
  bench: () => import("./bench/main.ts"),
  backup: () => import("./backup/run-backup.ts"),
  reproduce: () => import("./reproduce/run-reproduce-command.ts"),
  "verify-ledger": () => import("./verify-ledger/run-verify-ledger.ts"),
  backtest: () => import("./backtest/run-backtest-command.ts"),
  packages: () => import("./packages/packages.ts"),
};

await prepareTypeScript();
const { CliError, EXIT_STOPPED, listenForStop, reportErrors } = await import("./lib/cli.ts");
await reportErrors(async () => {
  const [name = "", ...args] = process.argv.slice(2);
  const load = COMMANDS[name];
  if (!load) throw new CliError(`Which command? One of: ${Object.keys(COMMANDS).join(", ")}.`);
  const signal = listenForStop({ onSecond: () => process.exit(EXIT_STOPPED) });
  const { main } = await load();
  const exitCode = await main({ args, say: console.log, signal });
  if (exitCode) process.exitCode = exitCode;
});
