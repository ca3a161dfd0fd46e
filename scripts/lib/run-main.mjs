// @ts-check
import process from "node:process";

/** Errors whose message is one clear line; the others are defects and show their stack. */
const PLAIN_ERRORS = new Set(["PlainError", "SettingsError", "BackupError"]);

/**
 * Runs a command of the project and turns its outcome into the exit code: 0, or 1 with the reason
 * on stderr. Being asked to stop is no failure.
 *
 * @param {() => Promise<void>} main
 */
export async function runMain(main) {
  try {
    await main();
  } catch (error) {
    if (error instanceof Error && error.name === "AbortError") return;
    const isPlain = error instanceof Error && PLAIN_ERRORS.has(error.name);
    console.error(isPlain ? error.message : error);
    process.exitCode = 1;
  }
}
