// @ts-check
// `npm run client`: builds the web pages if stale and serves them; with --dev, from their sources.
import { once } from "node:events";
import process from "node:process";
import { listenForStop, runMain } from "./lib/cli.mjs";
import { prepareProject } from "./lib/prepare-project.mjs";

await runMain(async () => {
  const signal = listenForStop({ onSecond: () => process.exit(130) });
  await prepareProject(signal);
  const { readSettings } = await import("./lib/services/services.mjs");
  const settings = await readSettings();
  const { serveBuilt, serveSources } = await import("./lib/client-build/serve-client.mjs");
  const serve = process.argv.includes("--dev") ? serveSources : serveBuilt;
  const close = await serve({ settings, signal });
  if (!signal.aborted) await once(signal, "abort");
  await close();
});
