// @ts-check
// `npm run build`: the web pages, into DATA_DIR/client.
import process from "node:process";
import { listenForStop, runMain } from "./lib/cli.mjs";
import { prepareProject } from "./lib/prepare-project.mjs";

await runMain(async () => {
  const signal = listenForStop({ onSecond: () => process.exit(130) });
  await prepareProject(signal);
  const { readSettings } = await import("./lib/services/services.mjs");
  const { clientFolder, ensureClientBuild } = await import("./lib/client-build/client-build.mjs");
  const settings = await readSettings();
  await ensureClientBuild({ settings, say: console.log, signal });
  console.log(`The web pages are in ${clientFolder(settings)}.`);
});
