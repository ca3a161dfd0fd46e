import { describe, expect, it } from "vitest";
import { type Told, toldAfter } from "./told-notices.ts";

const ann = { username: "Ann", stream: "user" } as const;
const told = (seqs: Told["seqs"], username = "Ann"): Told => ({ username, seqs });

describe("what was notified of", () => {
  it("is nothing at first", () => {
    expect(toldAfter(null, { ...ann, seq: 4 })).toEqual(told({ user: 4 }));
  });

  it("is not told again by another tab, however late that hears of it", () => {
    const after = toldAfter(told({ user: 4 }), { ...ann, seq: 5 });
    expect(after).toEqual(told({ user: 5 }));
    expect(toldAfter(after, { ...ann, seq: 5 })).toBeNull();
    expect(toldAfter(after, { ...ann, seq: 3 })).toBeNull();
  });

  it("is counted for each stream", () => {
    expect(toldAfter(told({ user: 9 }), { ...ann, stream: "admins", seq: 2 })).toEqual(
      told({ user: 9, admins: 2 }),
    );
  });

  it("begins anew with another user", () => {
    expect(toldAfter(told({ user: 9 }, "Ben"), { ...ann, seq: 1 })).toEqual(told({ user: 1 }));
  });
});
