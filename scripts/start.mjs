// @ts-check
// `npm start` without npm, for service managers.
import process from "node:process";

process.argv.splice(2, 0, "start");
await import("./run.mjs");
