// @ts-check
import process from "node:process";
import { CliError, runMain, whenNpmExits } from "./lib/cli.mjs";
import { prepareProject } from "./lib/prepare-project.mjs";

// `npm run server` and `npm run worker`: one part alone, against the database in MONGODB_URI.

const ENTRIES = new Map([
  ["server", "../server/src/main.ts"],
  ["worker", "../worker/src/main.ts"],
]);

await runMain(async () => {
  const entry = ENTRIES.get(process.argv[2] ?? "");
  if (!entry) throw new CliError(`Which part? One of: ${[...ENTRIES.keys()].join(", ")}.`);
  whenNpmExits(() => process.kill(process.pid, "SIGTERM"));
  await prepareProject();
  const { register } = await import("tsx/esm/api");
  register();
  await import(entry);
});
