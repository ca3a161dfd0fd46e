import { createHash } from "node:crypto";
import { describe, expect, it, test } from "vitest";
import { canonicalJson, commitTo, hashRecord, sha256Hex } from "./ledger-verifier.ts";

/** Bits of a double as RFC 8785, appendix B, lists them. */
function double(bits: string): number {
  return Buffer.from(bits, "hex").readDoubleBE();
}

describe("canonical JSON", () => {
  test.each([
    ["0000000000000000", "0"],
    ["8000000000000000", "0"],
    ["0000000000000001", "5e-324"],
    ["8000000000000001", "-5e-324"],
    ["7fefffffffffffff", "1.7976931348623157e+308"],
    ["ffefffffffffffff", "-1.7976931348623157e+308"],
    ["4340000000000000", "9007199254740992"],
    ["c340000000000000", "-9007199254740992"],
    ["4430000000000000", "295147905179352830000"],
    ["44b52d02c7e14af5", "9.999999999999997e+22"],
    ["44b52d02c7e14af6", "1e+23"],
    ["44b52d02c7e14af7", "1.0000000000000001e+23"],
    ["444b1ae4d6e2ef4e", "999999999999999700000"],
    ["444b1ae4d6e2ef4f", "999999999999999900000"],
    ["444b1ae4d6e2ef50", "1e+21"],
    ["3eb0c6f7a0b5ed8c", "9.999999999999997e-7"],
    ["3eb0c6f7a0b5ed8d", "0.000001"],
    ["41b3de4355555553", "333333333.3333332"],
    ["41b3de4355555554", "333333333.33333325"],
    ["41b3de4355555555", "333333333.3333333"],
    ["41b3de4355555556", "333333333.3333334"],
    ["41b3de4355555557", "333333333.33333343"],
    ["becbf647612f3696", "-0.0000033333333333333333"],
    ["43143ff3c1cb0959", "1424953923781206.2"],
  ])("writes the double %s as %s (RFC 8785, appendix B)", (bits, text) => {
    expect(canonicalJson(double(bits))).toBe(text);
  });

  it("sorts fields by their UTF-16 units and escapes only what it must (RFC 8785, 3.2)", () => {
    const value = {
      numbers: JSON.parse("[333333333.33333329, 1E30, 4.50, 2e-3, 0.000000000000000000000000001]"),
      string: "\u20ac$\u000f\u000aA'\u0042\u0022\u005c\\\"/",
      literals: [null, true, false],
    };
    expect(canonicalJson(value)).toBe(
      '{"literals":[null,true,false],"numbers":[333333333.3333333,1e+30,4.5,0.002,1e-27],' +
        '"string":"€$\\u000f\\nA\'B\\"\\\\\\\\\\"/"}',
    );
    const keys = {
      "\u20ac": 1,
      "\r": 2,
      "\ufb33": 3,
      "1": 4,
      "\u{1f600}": 5,
      "\u0080": 6,
      "\u00f6": 7,
    };
    expect(canonicalJson(keys)).toBe('{"\\r":2,"1":4,"\u0080":6,"ö":7,"€":1,"😀":5,"\ufb33":3}');
  });

  it("does not depend on the order of fields, and leaves out what is undefined", () => {
    const one = { b: [{ d: 1, c: undefined }], a: { y: null, x: "" } };
    const other = { a: { x: "", y: null }, b: [{ d: 1 }] };
    expect(canonicalJson(one)).toBe(canonicalJson(other));
  });

  it.each([Number.NaN, Number.POSITIVE_INFINITY, undefined])("refuses %s", (value) => {
    expect(() => canonicalJson(value)).toThrow();
  });
});

const nodeHash = (text: string) => createHash("sha256").update(text).digest("hex");

describe("hashes", () => {
  it("are the SHA-256 of the UTF-8 text", () => {
    // FIPS 180-2, appendix B.1.
    expect(sha256Hex("abc")).toBe(
      "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad",
    );
    expect(sha256Hex("€😀")).toBe(nodeHash("€😀"));
  });

  it("of a record can be computed from its text", () => {
    const zeros = "0".repeat(64);
    const record = {
      seq: 1,
      kind: "analysis",
      at: "2025-01-31T00:00:00.000Z",
      prev_hash: zeros,
      body: { data: "live", figures_commitment: zeros },
    } as const;
    const text = `{"at":"2025-01-31T00:00:00.000Z","body":{"data":"live","figures_commitment":"${zeros}"},"kind":"analysis","prev_hash":"${zeros}","seq":1}`;
    expect(hashRecord(record)).toBe(nodeHash(text));
  });

  it("of a commitment are those of the salt's digits and the content's canonical JSON", () => {
    expect(commitTo({ b: 1, a: "x" }, "ab12")).toBe(nodeHash('ab12{"a":"x","b":1}'));
  });
});
