// @ts-check
import { spawn } from "node:child_process";
import { prefixLines } from "./part-output.mjs";
import { projectRoot } from "./project-root.mjs";
import { SupervisedPart } from "./supervised-part.mjs";

/** Node arguments that start each part, from the project's folder. */
const PART_ARGUMENTS = {
  server: ["--import", "tsx", "server/src/main.ts"],
  worker: ["--import", "tsx", "worker/src/main.ts"],
  client: ["scripts/client.mjs"],
};

/** @typedef {keyof typeof PART_ARGUMENTS} PartName */

/**
 * A part of the product under supervision, not started yet. It has a session of its own, so that a
 * Ctrl-C in the terminal reaches it only through the launcher; and it stops when the launcher is gone.
 *
 * @param {object} options
 * @param {PartName} options.name
 * @param {readonly string[]} [options.extraArguments]
 * @param {NodeJS.ProcessEnv} options.env
 * @param {(line: string) => void} options.say
 */
export function createPart({ name, extraArguments = [], env, say }) {
  const isTerminal = Boolean(process.stdout.isTTY);
  const output = isTerminal ? "pipe" : "inherit";
  const preload = ["--import", "./scripts/lib/exit-with-parent.mjs"];
  const launch = () => {
    const child = spawn(
      process.execPath,
      [...preload, ...PART_ARGUMENTS[name], ...extraArguments],
      {
        cwd: projectRoot,
        env,
        detached: true,
        windowsHide: true,
        stdio: ["ignore", output, output, "ipc"],
      },
    );
    if (child.stdout) prefixLines({ name, from: child.stdout, to: process.stdout });
    if (child.stderr) prefixLines({ name, from: child.stderr, to: process.stderr });
    return child;
  };
  return new SupervisedPart({ name, launch, say });
}
