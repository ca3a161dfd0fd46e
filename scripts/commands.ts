// `run.mjs` imports it once all packages are installed. Containers, which have only those of production, run it as it is.
import { CliError, type Command, EXIT_STOPPED, listenForStop, reportErrors } from "./lib/cli.ts";

interface CommandModule {
  /** Resolves with the exit code, 0 by default. */
  main: (command: Command) => Promise<unknown>;
}

const COMMANDS: Record<string, () => Promise<CommandModule>> = {
  start: () => import("./lib/services/launch.ts"),
  client: () => import("../client/build/serve-client.ts"),
  build: () => import("../client/build/client-build.ts"),
  test: () => import("./lib/test-run/test-suites.ts"),
  suite: () => import("./lib/test-run/run-tool.ts"),
  bench: () => import("./bench/main.ts"),
  backup: () => import("./backup/run-backup.ts"),
  "database-accounts": () => import("./database-accounts/create-accounts.ts"),
  "check-model": () => import("./check-model/run-check-model.ts"),
  reproduce: () => import("./reproduce/run-reproduce-command.ts"),
  "verify-ledger": () => import("./verify-ledger/run-verify-ledger.ts"),
  "bench-analysts": () => import("./bench-analysts/run-bench-analysts.ts"),
  backtest: () => import("./backtest/run-backtest-command.ts"),
  packages: () => import("./packages/packages.ts"),
};

await reportErrors(async () => {
  const [name = "", ...args] = process.argv.slice(2);
  const load = COMMANDS[name];
  if (!load) throw new CliError(`Which command? One of: ${Object.keys(COMMANDS).join(", ")}.`);
  const signal = listenForStop(() => process.exit(EXIT_STOPPED));
  const { main } = await load();
  const exitCode = await main({ args, say: console.log, signal });
  if (typeof exitCode === "number") process.exitCode = exitCode;
});
