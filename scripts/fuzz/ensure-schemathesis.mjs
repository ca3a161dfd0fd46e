// @ts-check
import { mkdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { CliError } from "../lib/cli.mjs";
import { findExecutables, isExecutable, runCommand } from "../lib/commands.mjs";
import { cacheFolder } from "../lib/files.mjs";
import { withLock } from "../lib/process-lock.mjs";

/** Kept fixed, so that a new release finds new things only when somebody looks. */
const VERSION = "4.32.5";

/**
 * The `schemathesis` program in a Python environment of its own, made on first use and kept.
 *
 * @param {object} [options]
 * @param {NodeJS.ProcessEnv} [options.env]
 * @param {(line: string) => void} [options.say] told before anything that takes long
 * @param {AbortSignal} [options.signal]
 * @returns {Promise<string>} its path
 * @throws {CliError} if there is no Python, or the package cannot be installed
 */
export async function ensureSchemathesis({ env = process.env, say = console.log, signal } = {}) {
  const folder = join(cacheFolder(env), `schemathesis-${VERSION}`);
  const program = inEnvironment(folder, "schemathesis");
  if (isExecutable(program)) return program;
  const [python] = findExecutables(["python3", "python"], env.PATH);
  if (!python) throw new CliError("Python 3.11 or newer is needed: there is no python3.");
  return withLock(folder, async () => {
    if (isExecutable(program)) return program;
    say(`Installing schemathesis ${VERSION} from PyPI; this is done once ...`);
    mkdirSync(cacheFolder(env), { recursive: true });
    try {
      await run(python, ["-m", "venv", "--clear", folder], signal);
      await run(
        inEnvironment(folder, "pip"),
        ["install", "--quiet", `schemathesis==${VERSION}`],
        signal,
      );
    } catch (error) {
      rmSync(folder, { recursive: true, force: true });
      throw error;
    }
    return program;
  });
}

/**
 * @param {string} folder of a Python environment
 * @param {string} program
 */
function inEnvironment(folder, program) {
  const isWindows = process.platform === "win32";
  return isWindows ? join(folder, "Scripts", `${program}.exe`) : join(folder, "bin", program);
}

/**
 * @param {string} command
 * @param {readonly string[]} args
 * @param {AbortSignal} [signal]
 */
async function run(command, args, signal) {
  const { code, stderr } = await runCommand({ command, args, signal });
  signal?.throwIfAborted();
  if (code !== 0) throw new CliError(`${command} ${args.join(" ")} failed:\n${stderr.trim()}`);
}
