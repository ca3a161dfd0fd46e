// @ts-check
import { spawn } from "node:child_process";

/**
 * Runs a command to its end. Never rejects: a command that cannot be started has `code` null and
 * says why in `stderr`.
 *
 * @param {object} options
 * @param {string} options.command
 * @param {readonly string[]} [options.args]
 * @param {string} [options.cwd]
 * @param {NodeJS.ProcessEnv} [options.env]
 * @param {"pipe" | "inherit"} [options.output] `inherit` shows the output instead of returning it
 * @param {number} [options.timeoutMs]
 * @param {AbortSignal} [options.signal] ends the command with SIGTERM
 * @returns {Promise<{ code: number | null, stdout: string, stderr: string }>}
 */
export function runCommand({ command, args = [], output = "pipe", timeoutMs, ...options }) {
  return new Promise((resolve) => {
    const result = { stdout: "", stderr: "" };
    const child = spawn(command, args, {
      ...options,
      timeout: timeoutMs,
      stdio: ["ignore", output, output],
    });
    child.stdout?.on("data", (chunk) => {
      result.stdout += chunk;
    });
    child.stderr?.on("data", (chunk) => {
      result.stderr += chunk;
    });
    child.on("error", (error) => resolve({ ...result, code: null, stderr: error.message }));
    child.on("close", (code) => resolve({ ...result, code }));
  });
}
