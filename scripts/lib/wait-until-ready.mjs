// @ts-check
import { setTimeout as sleep } from "node:timers/promises";
import { PlainError } from "./plain-error.mjs";

const POLL_MS = 150;
const TIMEOUT_MS = 120_000;

/** A part that ends so often in a row before all is ready has a reason that waiting does not mend. */
const MOST_FAILURES = 5;

/**
 * Waits until every address answers with success.
 *
 * @param {object} options
 * @param {readonly string[]} options.addresses
 * @param {readonly { name: string, failures: number }[]} options.parts
 * @param {AbortSignal} options.signal
 * @throws {PlainError} if a part keeps stopping, or it takes too long
 */
export async function waitUntilReady({ addresses, parts, signal }) {
  const deadline = Date.now() + TIMEOUT_MS;
  const waiting = new Set(addresses);
  while (waiting.size > 0) {
    for (const address of waiting) if (await isAnswering(address)) waiting.delete(address);
    const broken = parts.find((part) => part.failures >= MOST_FAILURES);
    if (broken) {
      throw new PlainError(`The ${broken.name} does not start; its last lines above say why.`);
    }
    if (Date.now() > deadline) {
      throw new PlainError(`No answer from ${[...waiting].join(", ")} in ${TIMEOUT_MS / 1000} s.`);
    }
    await sleep(POLL_MS, undefined, { signal });
  }
}

/** @param {string} address */
async function isAnswering(address) {
  try {
    const answer = await fetch(address, { signal: AbortSignal.timeout(2_000) });
    await answer.body?.cancel();
    return answer.ok;
  } catch {
    // Not up yet.
    return false;
  }
}
