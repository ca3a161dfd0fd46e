// @ts-check
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";

const { resolve } = createRequire(import.meta.url);

/**
 * The script of an installed package's command, to be run with Node.js. The files in `node_modules/.bin` are shell
 * scripts on Windows, which cannot be spawned.
 *
 * @param {string} packageName
 * @param {string} [command] by default the last part of the package's name
 * @returns {string} an absolute path
 */
export function packageBin(packageName, command = packageName.slice(packageName.indexOf("/") + 1)) {
  const manifest = resolve(`${packageName}/package.json`);
  /** @type {{ bin: string | Record<string, string> }} */
  const { bin } = JSON.parse(readFileSync(manifest, "utf8"));
  const script = typeof bin === "string" ? bin : bin[command];
  if (!script) throw new Error(`${packageName} has no command ${command}`);
  return join(dirname(manifest), script);
}
