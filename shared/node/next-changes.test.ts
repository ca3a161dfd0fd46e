import { describe, expect, it } from "vitest";
import { nextChanges } from "./next-changes.ts";

const pooled = (name: string, ...keys: string[]) => ({ name, keys, isPooled: true });
const alone = (name: string, ...keys: string[]) => ({ name, keys, isPooled: false });

type Named = ReturnType<typeof pooled>;
const names = (changes: Named[]): string => changes.map(({ name }) => name).join("");
const whoGoes = (waiting: Named[], options: { busy?: string[]; room?: number } = {}) => {
  const { busy = [], room = 50 } = options;
  const next = nextChanges(waiting, { busyKeys: new Set(busy), room });
  return { alone: names(next.alone), together: names(next.together), later: names(next.later) };
};

describe("of the changes that wait", () => {
  it("pooled ones go together, also of one user, and others each alone", () => {
    const waiting = [pooled("a", "ann"), alone("b", "bob"), pooled("c", "cid"), pooled("d", "ann")];
    expect(whoGoes(waiting)).toEqual({ together: "acd", alone: "b", later: "" });
  });

  it("none goes while another with one of its keys is under way", () => {
    const waiting = [pooled("a", "ann"), alone("b", "bob", "admins"), pooled("c", "cid")];
    const now = whoGoes(waiting, { busy: ["ann", "admins"] });
    expect(now).toEqual({ together: "c", alone: "", later: "ab" });
  });

  it("none overtakes an earlier one with one of its keys", () => {
    const waiting = [
      alone("a", "ann"),
      pooled("b", "ann", "bob"),
      pooled("c", "bob"),
      alone("d", "bob"),
      pooled("e", "eve"),
      alone("f", "eve"),
    ];
    expect(whoGoes(waiting)).toEqual({ alone: "a", together: "e", later: "bcdf" });
  });

  it("pooled ones beyond the room wait, and hold up who comes after them", () => {
    const waiting = [pooled("a", "ann"), pooled("b", "bob"), alone("c", "bob"), alone("d", "dan")];
    expect(whoGoes(waiting, { room: 1 })).toEqual({ together: "a", alone: "d", later: "bc" });
    expect(whoGoes(waiting, { room: 0 })).toEqual({ together: "", alone: "d", later: "abc" });
  });
});
