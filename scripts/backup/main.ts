import { listenForStop, reportErrors } from "../lib/cli.ts";
import { main } from "./run-backup.ts";

// For containers: they lack packages that `npm run backup` would install.
await reportErrors(() => {
  const signal = listenForStop({ onSecond: () => process.exit(1) });
  return main({ args: process.argv.slice(2), say: console.log, signal });
});
