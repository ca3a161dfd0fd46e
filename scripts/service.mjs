// @ts-check
// `npm run server` and `npm run worker`: one service alone, with the database in MONGODB_URI.
import process from "node:process";
import { prepareTypeScript } from "./lib/prepare-project.mjs";

/** @type {Record<string, () => Promise<unknown>>} */
const SERVICES = {
  server: () => import("../server/src/main.ts"),
  worker: () => import("../worker/src/main.ts"),
};

const name = process.argv[2] ?? "";
const start = SERVICES[name];
if (start) {
  await prepareTypeScript();
  const { whenNpmExits } = await import("./lib/cli.ts");
  whenNpmExits(() => process.kill(process.pid, "SIGTERM"));
  await start();
} else {
  console.error(`No service "${name}"; there are: ${Object.keys(SERVICES).join(", ")}.`);
  process.exitCode = 1;
}
