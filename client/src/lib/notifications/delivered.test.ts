import { describe, expect, it } from "vitest";
import { type Delivered, markDelivered } from "./delivered.ts";

const ann = { username: "Ann", stream: "user" } as const;
const told = (seqs: Delivered["seqs"], username = "Ann"): Delivered => ({ username, seqs });

describe("what was notified of", () => {
  it("is nothing at first", () => {
    expect(markDelivered(null, { ...ann, seq: 4 })).toEqual(told({ user: 4 }));
  });

  it("is not told again by another tab, however late that hears of it", () => {
    const after = markDelivered(told({ user: 4 }), { ...ann, seq: 5 });
    expect(after).toEqual(told({ user: 5 }));
    expect(markDelivered(after, { ...ann, seq: 5 })).toBeNull();
    expect(markDelivered(after, { ...ann, seq: 3 })).toBeNull();
  });

  it("is counted for each stream", () => {
    expect(markDelivered(told({ user: 9 }), { ...ann, stream: "admins", seq: 2 })).toEqual(
      told({ user: 9, admins: 2 }),
    );
  });

  it("begins anew with another user", () => {
    expect(markDelivered(told({ user: 9 }, "Ben"), { ...ann, seq: 1 })).toEqual(told({ user: 1 }));
  });
});
