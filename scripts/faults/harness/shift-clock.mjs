// @ts-check
import process from "node:process";

// Loaded before everything else into a process with a wrong clock, which is `CLOCK_AHEAD_MS` ahead.
const aheadMs = Number(process.env.CLOCK_AHEAD_MS);
const RealDate = Date;
const now = () => RealDate.now() + aheadMs;

globalThis.Date = new Proxy(RealDate, {
  construct: (target, values, newTarget) =>
    Reflect.construct(target, values.length === 0 ? [now()] : values, newTarget),
  apply: () => new RealDate(now()).toString(),
  get: (target, key) => (key === "now" ? now : Reflect.get(target, key)),
});
