// @ts-check
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { minifySync } from "vite";

/** The script that every page runs first. */
const FIRST_SCRIPT = "before-paint.js";

/**
 * Minifies the first script: Vite copies the public folder as it is, comments included.
 *
 * @returns {import("vite").Plugin}
 */
export function firstScript() {
  let publicDir = "";
  return {
    name: "first-script",
    apply: (_, { command, isSsrBuild }) => command === "build" && !isSsrBuild,
    configResolved(config) {
      publicDir = config.publicDir;
    },
    generateBundle() {
      const { code } = minifySync(
        FIRST_SCRIPT,
        readFileSync(join(publicDir, FIRST_SCRIPT), "utf8"),
      );
      this.emitFile({ type: "asset", fileName: FIRST_SCRIPT, source: code });
    },
  };
}
