// @ts-check
// `npm run server` and `npm run worker`: one part alone, against the database in MONGODB_URI.
import process from "node:process";
import { whenNpmExits } from "./lib/npm-exit.mjs";
import { PlainError } from "./lib/plain-error.mjs";
import { prepareProject } from "./lib/prepare-project.mjs";
import { runMain } from "./lib/run-main.mjs";

const ENTRIES = new Map([
  ["server", "../server/src/main.ts"],
  ["worker", "../worker/src/main.ts"],
]);

await runMain(async () => {
  const entry = ENTRIES.get(process.argv[2] ?? "");
  if (!entry) throw new PlainError(`Which part? One of: ${[...ENTRIES.keys()].join(", ")}.`);
  whenNpmExits(() => process.kill(process.pid, "SIGTERM"));
  await prepareProject();
  const { register } = await import("tsx/esm/api");
  register();
  await import(entry);
});
