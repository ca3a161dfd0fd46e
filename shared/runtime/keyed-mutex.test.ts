import { EventEmitter, once } from "node:events";
import { describe, expect, it } from "vitest";
import { withKeys } from "./keyed-mutex.ts";

describe("withKeys", () => {
  it("makes work with a common key wait, and no other", async () => {
    const owner = {};
    const log: string[] = [];
    const events = new EventEmitter();
    const started = once(events, "started");
    const first = withKeys(owner, ["a", "b"], async () => {
      const released = once(events, "released");
      log.push("first begins");
      events.emit("started");
      await released;
      log.push("first ends");
    });
    await started;
    const waiting = withKeys(owner, ["b", "c"], async () => log.push("second"));
    await withKeys(owner, ["d"], async () => log.push("stranger"));
    await withKeys({}, ["a"], async () => log.push("another owner's"));
    events.emit("released");
    await Promise.all([first, waiting]);
    expect(log).toEqual(["first begins", "stranger", "another owner's", "first ends", "second"]);
  });

  it("does not deadlock, whatever the order of the keys", async () => {
    const owner = {};
    const done: number[] = [];
    const orders = [
      ["a", "b", "c"],
      ["c", "b", "a"],
      ["b", "a", "b"],
      ["c", "a"],
    ];
    await Promise.all(
      orders.map((keys, index) => withKeys(owner, keys, async () => done.push(index))),
    );
    expect(done.sort()).toEqual([0, 1, 2, 3]);
  });

  it("returns or throws the result, and continues with the next", async () => {
    const owner = {};
    expect(await withKeys(owner, ["a"], async () => 5)).toBe(5);
    const failing = withKeys(owner, ["a"], () => Promise.reject(new Error("broken")));
    await expect(failing).rejects.toThrow("broken");
    expect(await withKeys(owner, ["a"], async () => 6)).toBe(6);
  });
});
