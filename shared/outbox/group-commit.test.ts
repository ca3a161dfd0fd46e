import { describe, expect, it } from "vitest";
import { BatchedWrite, selectRunnable } from "./group-commit.ts";

const unit = (name: string, keys: string[]) => ({
  name,
  keys,
  groupCommit: true,
  batch: undefined,
});
const grouped = (name: string, ...keys: string[]) => unit(name, keys);
const single = (name: string, ...keys: string[]) => ({ ...unit(name, keys), groupCommit: false });
const batched = (name: string, batch: BatchedWrite<string, string>) => ({
  ...unit(name, [name]),
  batch,
});

type Named = ReturnType<typeof grouped> | ReturnType<typeof batched>;
const names = (units: Named[]): string => units.map(({ name }) => name).join("");
const select = (waiting: Named[], options: { busy?: string[]; maxGroupSize?: number } = {}) => {
  const { busy = [], maxGroupSize = 50 } = options;
  const selection = selectRunnable(waiting, { busyKeys: new Set(busy), maxGroupSize });
  return {
    group: names(selection.group),
    single: names(selection.single),
    later: names(selection.later),
  };
};

describe("units of work that wait for their commit", () => {
  it("run in one group if they allow it, also those of one user, and others each alone", () => {
    const waiting = [
      grouped("a", "ann"),
      single("b", "bob"),
      grouped("c", "cid"),
      grouped("d", "ann"),
    ];
    expect(select(waiting)).toEqual({ group: "acd", single: "b", later: "" });
  });

  it("wait while another unit with one of their keys is running", () => {
    const waiting = [grouped("a", "ann"), single("b", "bob", "admins"), grouped("c", "cid")];
    const selection = select(waiting, { busy: ["ann", "admins"] });
    expect(selection).toEqual({ group: "c", single: "", later: "ab" });
  });

  it("never overtake an earlier one with one of their keys", () => {
    const waiting = [
      single("a", "ann"),
      grouped("b", "ann", "bob"),
      grouped("c", "bob"),
      single("d", "bob"),
      grouped("e", "eve"),
      single("f", "eve"),
    ];
    expect(select(waiting)).toEqual({ single: "a", group: "e", later: "bcdf" });
  });

  it("wait when the group is full, and so do later ones with their keys", () => {
    const waiting = [
      grouped("a", "ann"),
      grouped("b", "bob"),
      single("c", "bob"),
      single("d", "dan"),
    ];
    expect(select(waiting, { maxGroupSize: 1 })).toEqual({ group: "a", single: "d", later: "bc" });
    expect(select(waiting, { maxGroupSize: 0 })).toEqual({ group: "", single: "d", later: "abc" });
  });

  it("share a transaction only with those of the same batched write, so that one does not miss what another stores", () => {
    const joining = new BatchedWrite<string, string>(async (_, inputs) => inputs);
    const finishing = new BatchedWrite<string, string>(async (_, inputs) => inputs);
    const waiting = [
      grouped("a", "ann"),
      batched("b", joining),
      batched("c", finishing),
      batched("d", joining),
      single("e", "c"),
      grouped("f", "eve"),
    ];
    expect(select(waiting)).toEqual({ group: "abdf", single: "", later: "ce" });
  });
});
