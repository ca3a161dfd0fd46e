// @ts-check
// Runs a command of package.json: `node scripts/run.mjs <command> [arguments]`.
import { prepareTypeScript } from "./lib/prepare-project.mjs";

await prepareTypeScript();
await import("./commands.ts");
