// @ts-check
// `npm run build`: the web pages, into DATA_DIR/client.
import process from "node:process";
import { prepareProject } from "./lib/prepare-project.mjs";
import { runMain } from "./lib/run-main.mjs";
import { listenForStop } from "./lib/stop-signal.mjs";

await runMain(async () => {
  const signal = listenForStop({ onSecond: () => process.exit(130) });
  await prepareProject(signal);
  const { readSettings } = await import("./lib/read-settings.mjs");
  const { clientFolder, ensureClientBuild } = await import("./lib/client-build.mjs");
  const settings = await readSettings();
  await ensureClientBuild({ settings, say: console.log, signal });
  console.log(`The web pages are in ${clientFolder(settings)}.`);
});
