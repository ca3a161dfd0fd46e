// @ts-check
import { whenNpmExits } from "./npm-exit.mjs";

/**
 * One Ctrl-C can arrive twice: from the terminal, and passed on by npm. What comes within this time
 * of the first is the same wish.
 */
const SAME_WISH_MS = 1_000;

/**
 * Turns the wish to stop into an abort signal: Ctrl-C, SIGTERM, a closed terminal, or the end of the
 * npm that runs this command.
 *
 * @param {object} options
 * @param {() => void} options.onSecond called when the wish is repeated
 * @param {import("node:events").EventEmitter} [options.events] where signals of the system arrive
 * @returns {AbortSignal}
 */
export function listenForStop({ onSecond, events = process }) {
  const controller = new AbortController();
  let firstAt = 0;
  const stop = () => {
    if (!controller.signal.aborted) {
      firstAt = Date.now();
      controller.abort();
      return;
    }
    if (Date.now() - firstAt > SAME_WISH_MS) onSecond();
  };
  for (const name of ["SIGINT", "SIGTERM", "SIGHUP"]) events.on(name, stop);
  whenNpmExits(() => controller.abort());
  return controller.signal;
}
