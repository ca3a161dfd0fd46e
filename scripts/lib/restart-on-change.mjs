// @ts-check
import { watch } from "node:fs";
import { join } from "node:path";
import { projectRoot } from "./project-root.mjs";

/** Editors write a file in several steps; this is how long they may take. */
const SETTLE_MS = 200;

/** What a part is made of; a change elsewhere does not concern it. The client reloads by itself. */
const SOURCES = new Map([
  ["server", ["server/src", "shared"]],
  ["worker", ["worker/src", "shared"]],
]);

/** @typedef {import("./supervised-part.mjs").SupervisedPart} SupervisedPart */

/**
 * Restarts the parts whose sources change.
 *
 * @param {{ parts: readonly SupervisedPart[], say: (line: string) => void, signal: AbortSignal }} options
 */
export function restartOnChange({ parts, say, signal }) {
  for (const part of parts) {
    const requestRestart = oneAtATime(async () => {
      if (signal.aborted) return;
      say(`The sources of the ${part.name} changed; restarting it.`);
      await part.restart();
    });
    for (const folder of SOURCES.get(part.name) ?? []) {
      const watched = join(projectRoot, folder);
      watch(watched, { recursive: true, persistent: false, signal }, (_event, file) => {
        if (isSource(file)) requestRestart();
      });
    }
  }
}

/** @param {string | null} file */
function isSource(file) {
  return Boolean(file?.endsWith(".ts") && !file.endsWith(".test.ts"));
}

/**
 * Collects requests while they settle, and while the work of an earlier one is still going on.
 *
 * @param {() => Promise<void>} work
 * @returns {() => void}
 */
function oneAtATime(work) {
  /** @type {NodeJS.Timeout | undefined} */
  let timer;
  let running = Promise.resolve();
  return () => {
    clearTimeout(timer);
    timer = setTimeout(() => {
      running = running.then(work);
    }, SETTLE_MS);
  };
}
