// @ts-check
// `npm run server` and `npm run worker`: one service alone, with the database in MONGODB_URI.
import process from "node:process";
import { CliError, reportErrors, whenNpmExits } from "./lib/cli.mjs";
import { prepareTypeScript } from "./lib/prepare-project.mjs";

const ENTRIES = new Map([
  ["server", "../server/src/main.ts"],
  ["worker", "../worker/src/main.ts"],
]);

await reportErrors(async () => {
  const entry = ENTRIES.get(process.argv[2] ?? "");
  if (!entry) throw new CliError(`Which service? One of: ${[...ENTRIES.keys()].join(", ")}.`);
  whenNpmExits(() => process.kill(process.pid, "SIGTERM"));
  await prepareTypeScript();
  await import(entry);
});
