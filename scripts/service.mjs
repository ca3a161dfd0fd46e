// @ts-check
// `npm run server` and `npm run worker`: one service alone, with the database in MONGODB_URI.
import process from "node:process";
import { prepareTypeScript } from "./lib/prepare-project.mjs";

await prepareTypeScript();
const { whenNpmExits } = await import("./lib/cli.ts");
whenNpmExits(() => process.kill(process.pid, "SIGTERM"));
await import(process.argv[2] === "server" ? "../server/src/main.ts" : "../worker/src/main.ts");
