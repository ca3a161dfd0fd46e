import { setMaxListeners } from "node:events";

/**
 * Has `controller` abort when one of `aborts` does. Not made of `AbortSignal.any`, which in Node.js 20 costs memory for
 * ever: each signal that is made of one that lives long is noted there, and is kept itself if somebody listens to it to
 * the end, as the client of OpenAI does.
 * @returns to be called when it is over
 */
export function followAborts(
  controller: AbortController,
  aborts: readonly AbortSignal[],
): () => void {
  // A hundred signals in the making listen to the one of their worker's end.
  setMaxListeners(0, ...aborts);
  const stops = aborts.map((abort) => {
    const follow = () => controller.abort(abort.reason);
    if (abort.aborted) follow();
    abort.addEventListener("abort", follow, { once: true });
    return () => abort.removeEventListener("abort", follow);
  });
  return () => {
    for (const stop of stops) stop();
  };
}
