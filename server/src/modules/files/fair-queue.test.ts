import { describe, expect, it } from "vitest";
import { FairQueue } from "./fair-queue.ts";

/** Takes everything that waits; each item takes `tookMs` of its user. */
function drain(queue: FairQueue<string>, tookMs: Record<string, number> = {}): string[] {
  const order: string[] = [];
  for (let next = queue.take(); next; next = queue.take()) {
    order.push(next.item);
    queue.charge(next.user, tookMs[next.user] ?? 100);
  }
  return order;
}

describe("what users wait for", () => {
  it("is done in turns, each user's own in the order in which they came", () => {
    const queue = new FairQueue<string>();
    for (const item of ["a1", "a2", "a3", "b1", "b2"]) queue.add(item.slice(0, 1), item, 10);
    expect(drain(queue)).toEqual(["a1", "b1", "a2", "b2", "a3"]);
  });

  it("is done first for those who have had the least time", () => {
    const queue = new FairQueue<string>();
    for (const item of ["a1", "a2", "b1", "b2", "b3"]) queue.add(item.slice(0, 1), item, 10);
    expect(drain(queue, { a: 1_000, b: 50 })).toEqual(["a1", "b1", "b2", "b3", "a2"]);
  });

  it("is done before what is expected to take longer, however many users want that", () => {
    const queue = new FairQueue<string>();
    for (let user = 0; user < 20; user += 1) queue.add(`flood ${user}`, "long", 400);
    queue.add("bob", "short", 10);
    expect(drain(queue)[0]).toBe("short");
  });

  it("costs a user nothing later, once nothing waits", () => {
    const queue = new FairQueue<string>();
    queue.add("a", "a1", 10);
    drain(queue, { a: 5_000 });
    queue.add("a", "a2", 10);
    queue.add("b", "b1", 20);
    expect(drain(queue)).toEqual(["a2", "b1"]);
  });
});
