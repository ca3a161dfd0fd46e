import { EventEmitter, once } from "node:events";
import { describe, expect, it } from "vitest";
import { withKeys } from "./keyed-mutex.ts";

describe("withLocks", () => {
  it("lets work wait that shares a key with other work, and no other", async () => {
    const owner = {};
    const log: string[] = [];
    const bell = new EventEmitter();
    const begun = once(bell, "begun");
    const first = withKeys(owner, ["a", "b"], async () => {
      const letGo = once(bell, "let go");
      log.push("first begins");
      bell.emit("begun");
      await letGo;
      log.push("first ends");
    });
    await begun;
    const waiting = withKeys(owner, ["b", "c"], async () => log.push("second"));
    await withKeys(owner, ["d"], async () => log.push("stranger"));
    await withKeys({}, ["a"], async () => log.push("another owner's"));
    bell.emit("let go");
    await Promise.all([first, waiting]);
    expect(log).toEqual(["first begins", "stranger", "another owner's", "first ends", "second"]);
  });

  it("does not wait in a circle, however the keys are ordered or repeated", async () => {
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

  it("hands on what the work returns or throws, and lets the next one in", async () => {
    const owner = {};
    expect(await withKeys(owner, ["a"], async () => 5)).toBe(5);
    const failing = withKeys(owner, ["a"], () => Promise.reject(new Error("broken")));
    await expect(failing).rejects.toThrow("broken");
    expect(await withKeys(owner, ["a"], async () => 6)).toBe(6);
  });
});
