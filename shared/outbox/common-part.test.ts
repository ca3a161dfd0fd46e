import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { joinParts, splitCommonPart } from "./common-part.ts";

const joined = (values: readonly unknown[]) => {
  const { common, own } = splitCommonPart(values);
  return own.map((part) => joinParts(common, part));
};

describe("the common part of several values", () => {
  it("is what all of them have, at any depth", () => {
    const values = [
      { id: "a", trade: { entry: 100, units: 1, reasons: ["up"] }, note: null },
      { id: "b", trade: { entry: 100, units: 2, reasons: ["up"] }, note: null },
    ];
    expect(splitCommonPart(values)).toEqual({
      common: { trade: { entry: 100, reasons: ["up"] }, note: null },
      own: [
        { id: "a", trade: { units: 1 } },
        { id: "b", trade: { units: 2 } },
      ],
    });
  });

  it("is the whole value if they are equal", () => {
    const { common, own } = splitCommonPart([{ id: 1 }, { id: 1 }]);
    expect(common).toEqual({ id: 1 });
    expect(own).toEqual([undefined, undefined]);
  });

  it("leaves out fields that only some have", () => {
    const values = [{ id: 1, filled: { price: 5 } }, { id: 1 }, { id: 1, filled: {} }];
    expect(joined(values)).toEqual(values);
  });

  it("and the own parts make the values again", () => {
    const field = fc.oneof(fc.jsonValue({ maxDepth: 2 }), fc.constantFrom(1, "a", null));
    const value = fc.dictionary(fc.constantFrom("a", "b", "c"), field);
    const values = fc.array(fc.oneof(value, fc.record({ a: value }), fc.jsonValue()));
    fc.assert(
      fc.property(values, (some) => {
        expect(joined(some)).toEqual(some);
      }),
    );
  });
});
