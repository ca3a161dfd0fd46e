// @ts-check
// `npm run replay -- <signal id>`: makes a finished signal once more from its receipt and candles.
// Exit code 0: the same; 1: not the same; 2: it cannot be made again.
import process from "node:process";
import { runMain } from "./lib/cli.mjs";
import { prepareProject } from "./lib/prepare-project.mjs";

const EXIT_IMPOSSIBLE = 2;

await runMain(async () => {
  const [signalId] = process.argv.slice(2);
  if (!signalId) {
    process.exitCode = EXIT_IMPOSSIBLE;
    return console.error("Which signal? npm run replay -- <signal id>");
  }
  await prepareProject();
  const { register } = await import("tsx/esm/api");
  register();
  const { readSettings } = await import("./lib/services/services.mjs");
  const { withDatabase } = await import("./lib/mongo/embedded-mongo.mjs");
  const { runReplay } = await import("../worker/src/reproduce/run-reproduce.ts");
  const settings = await readSettings();
  const { text, exitCode } = await withDatabase(settings, (uri) => runReplay({ uri, signalId }));
  console.log(text);
  process.exitCode = exitCode;
});
