import { getEventListeners } from "node:events";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { expect, it } from "vitest";
import { startDeadline } from "./deadline.ts";

const patient = new AbortController().signal;
const aborted = (signal: AbortSignal) =>
  new Promise<never>((_, reject) => {
    signal.addEventListener("abort", () => reject(signal.reason), { once: true });
  });

/** Only what nobody refers to is lost, and only once the garbage is collected. */
function collectGarbage(): void {
  setFlagsFromString("--expose_gc");
  const collect: unknown = runInNewContext("gc");
  if (typeof collect !== "function") throw new Error("the garbage cannot be collected");
  collect();
}

it("ends a wait after its time, even if the garbage is collected meanwhile", async () => {
  const waiting = aborted(startDeadline(patient, 60).signal);
  const collecting = setInterval(collectGarbage, 5);
  await expect(waiting).rejects.toThrow("out of time");
  clearInterval(collecting);
});

it("ends a wait with its caller's", async () => {
  const caller = new AbortController();
  const deadline = startDeadline(caller.signal, 60_000);
  const waiting = aborted(deadline.signal);
  caller.abort(new Error("gone"));
  await expect(waiting).rejects.toThrow("gone");
  deadline.clear();
});

it("leaves nothing behind on a caller that lives on", () => {
  const caller = new AbortController();
  const deadlines = Array.from({ length: 40 }, () => startDeadline(caller.signal, 60_000));
  expect(getEventListeners(caller.signal, "abort")).toHaveLength(40);
  for (const deadline of deadlines) deadline.clear();
  expect(getEventListeners(caller.signal, "abort")).toEqual([]);
});
