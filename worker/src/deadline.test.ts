import { EventEmitter, getEventListeners, once } from "node:events";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { expect, it } from "vitest";
import { withDeadline } from "./deadline.ts";

const patient = new AbortController().signal;
const aborted = (signal: AbortSignal) =>
  new Promise<never>((_, reject) => {
    signal.addEventListener("abort", () => reject(signal.reason), { once: true });
  });

/** Only what is not referred to is lost, and only once the garbage is collected. */
function collectGarbage(): void {
  setFlagsFromString("--expose_gc");
  const collect: unknown = runInNewContext("gc");
  if (typeof collect !== "function") throw new Error("the garbage cannot be collected");
  collect();
}

it("ends a wait after its time, even if the garbage is collected meanwhile", async () => {
  const waiting = withDeadline(patient, 60, aborted);
  const collecting = setInterval(collectGarbage, 5);
  await expect(waiting).rejects.toThrow("out of time");
  clearInterval(collecting);
});

it("ends a wait with its caller's", async () => {
  const caller = new AbortController();
  const waiting = withDeadline(caller.signal, 60_000, aborted);
  caller.abort(new Error("gone"));
  await expect(waiting).rejects.toThrow("gone");
});

it("leaves nothing behind on a caller that lives on", async () => {
  const caller = new AbortController();
  const work = new EventEmitter().setMaxListeners(0);
  const deadlines = Array.from({ length: 40 }, () =>
    withDeadline(caller.signal, 60_000, () => once(work, "done")),
  );
  expect(getEventListeners(caller.signal, "abort")).toHaveLength(40);
  work.emit("done");
  await Promise.all(deadlines);
  expect(getEventListeners(caller.signal, "abort")).toEqual([]);
});
