// @ts-check
// `npm run backup [-- <new folder>]`: all collections as of one moment, in the format of mongodump.
// `npm run restore -- <folder>`: puts them into an empty database.
import { join, resolve } from "node:path";
import process from "node:process";
import { CliError, listenForStop, runMain } from "./lib/cli.mjs";
import { prepareProject } from "./lib/prepare-project.mjs";

await runMain(async () => {
  const signal = listenForStop({ onSecond: () => process.exit(130) });
  const [action, given] = process.argv.slice(2);
  const startedIn = process.cwd();
  await prepareProject(signal);
  const { readSettings } = await import("./lib/services/services.mjs");
  const { withDatabase } = await import("./lib/mongo/embedded-mongo.mjs");
  const settings = await readSettings();
  const folder = given
    ? resolve(startedIn, given)
    : join(settings.DATA_DIR, "backups", new Date().toISOString().replaceAll(":", "-"));
  if (action === "restore" && !given)
    throw new CliError("Which folder? npm run restore -- <folder>");
  const { register } = await import("tsx/esm/api");
  register();
  const { backUp, restore } = await import("./backup/run-backup.ts");
  const work = action === "restore" ? restore : backUp;
  const line = await withDatabase(settings, (uri) => work({ uri, folder }));
  console.log(line);
});
