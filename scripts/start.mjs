// @ts-check
// `npm start` and `npm run dev`. Only plain Node until the packages are there.
import process from "node:process";
import { listenForStop, runMain } from "./lib/cli.mjs";
import { prepareProject } from "./lib/prepare-project.mjs";

/** @type {import("./lib/services/launch.mjs").Crew} */
const crew = { parts: [] };

function killAll() {
  for (const part of crew.parts) part.kill();
  crew.database?.kill();
  process.exit(130);
}

await runMain(async () => {
  const signal = listenForStop({ onSecond: killAll });
  await prepareProject(signal);
  const { launch } = await import("./lib/services/launch.mjs");
  await launch({ isDev: process.argv.includes("--dev"), signal, crew });
});
