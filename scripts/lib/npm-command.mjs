// @ts-check
import { existsSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import process from "node:process";

/**
 * A command line that runs npm: the npm that started this process, the one installed beside Node.js, or the one on the
 * `PATH`. The first two run as scripts, because Windows starts `npm.cmd` only through a shell.
 *
 * @param {readonly string[]} args
 * @param {{ env?: NodeJS.ProcessEnv, execPath?: string }} [options]
 * @returns {{ command: string, args: string[] }}
 */
export function npmCommand(args, { env = process.env, execPath = process.execPath } = {}) {
  const script = [env.npm_execpath, join(dirname(execPath), "node_modules/npm/bin/npm-cli.js")]
    // Other package managers set `npm_execpath` too, and have no `ci`.
    .find((file) => file && basename(file) === "npm-cli.js" && existsSync(file));
  return script
    ? { command: execPath, args: [script, ...args] }
    : { command: "npm", args: [...args] };
}
