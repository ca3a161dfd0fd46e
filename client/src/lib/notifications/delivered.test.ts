import { describe, expect, it } from "vitest";
import { type Delivered, markDelivered } from "./delivered.ts";

const ann = { username: "Ann", stream: "user" } as const;
const delivered = (seqs: Delivered["seqs"], username = "Ann"): Delivered => ({ username, seqs });

describe("delivered notifications", () => {
  it("start with the first event", () => {
    expect(markDelivered(null, { ...ann, seq: 4 })).toEqual(delivered({ user: 4 }));
  });

  it("are not repeated by another tab, however late it receives the event", () => {
    const after = markDelivered(delivered({ user: 4 }), { ...ann, seq: 5 });
    expect(after).toEqual(delivered({ user: 5 }));
    expect(markDelivered(after, { ...ann, seq: 5 })).toBeNull();
    expect(markDelivered(after, { ...ann, seq: 3 })).toBeNull();
  });

  it("are counted for each stream", () => {
    expect(markDelivered(delivered({ user: 9 }), { ...ann, stream: "admins", seq: 2 })).toEqual(
      delivered({ user: 9, admins: 2 }),
    );
  });

  it("start again with another user", () => {
    expect(markDelivered(delivered({ user: 9 }, "Ben"), { ...ann, seq: 1 })).toEqual(
      delivered({ user: 1 }),
    );
  });
});
