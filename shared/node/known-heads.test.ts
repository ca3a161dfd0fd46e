import { describe, expect, it } from "vitest";
import { KnownHeads } from "./known-heads.ts";

const ONE_EVENT = { events: 1, unfinished: 0 };
const A_SIGNAL = { events: 1, unfinished: 1 };

const knowing = (...entries: [string, { seq: number; unfinished: number }][]): KnownHeads => {
  const heads = new KnownHeads();
  for (const [stream, head] of entries) heads.learn(stream, head);
  return heads;
};
const taken = (heads: KnownHeads, advances: Record<string, typeof ONE_EVENT>) => {
  const found = heads.take(new Map(Object.entries(advances)));
  return found && Object.fromEntries(found);
};

describe("what a process knows of where streams stand", () => {
  it("is used once: who fails with it does not find it again", () => {
    const heads = knowing(["ann", { seq: 4, unfinished: 0 }]);
    expect(taken(heads, { ann: ONE_EVENT })).toEqual({ ann: { seq: 4, unfinished: 0 } });
    expect(taken(heads, { ann: ONE_EVENT })).toBeNull();
  });

  it("is used for all streams of a transaction, or for none", () => {
    const heads = knowing(["ann", { seq: 4, unfinished: 0 }]);
    expect(taken(heads, { ann: ONE_EVENT, bob: ONE_EVENT })).toBeNull();
  });

  it("follows the events that are heard, and counts the signals that they begin and end", () => {
    const heads = knowing(["ann", { seq: 4, unfinished: 1 }]);
    heads.hear("ann", { seq: 5, unfinished: 0 });
    heads.hear("ann", { seq: 6, unfinished: -1 });
    expect(taken(heads, { ann: A_SIGNAL })).toEqual({ ann: { seq: 6, unfinished: 0 } });
  });

  it("does not go back to what is older", () => {
    const heads = knowing(["ann", { seq: 4, unfinished: 0 }]);
    heads.learn("ann", { seq: 3, unfinished: 0 });
    heads.hear("ann", { seq: 4, unfinished: -1 });
    expect(taken(heads, { ann: ONE_EVENT })).toEqual({ ann: { seq: 4, unfinished: 0 } });
  });

  it("is given up after an event that was not heard", () => {
    const heads = knowing(["ann", { seq: 4, unfinished: 0 }]);
    heads.hear("ann", { seq: 6, unfinished: 0 });
    expect(taken(heads, { ann: ONE_EVENT })).toBeNull();
  });

  it("is not used while several signals are under way, as others are about to write too", () => {
    const heads = knowing(["ann", { seq: 4, unfinished: 1 }], ["bob", { seq: 4, unfinished: 2 }]);
    expect(taken(heads, { ann: A_SIGNAL })).toBeNull();
    expect(taken(heads, { bob: ONE_EVENT })).toBeNull();
  });

  it("stays bounded: who was told something longest ago is forgotten first", () => {
    const heads = new KnownHeads();
    for (let index = 0; index <= 10_000; index += 1) {
      heads.learn(`user-${index}`, { seq: 1, unfinished: 0 });
    }
    expect(taken(heads, { "user-0": ONE_EVENT })).toBeNull();
    expect(taken(heads, { "user-1": ONE_EVENT })).not.toBeNull();
  });
});
