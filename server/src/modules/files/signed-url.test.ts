import { describe, expect, it } from "vitest";
import { isFileUrlGood, signFileUrl } from "./signed-url.ts";

const SECRET = "a secret of more than 32 characters, for tests";
const PATH = "/payment_proofs/0123456789abcdef0123456789abcdef.png";
const now = new Date("2025-03-01T12:00:00Z");
const minutesLater = (minutes: number) => new Date(now.getTime() + minutes * 60_000);

const signed = signFileUrl({ path: PATH, secret: SECRET, now, apiUrl: "https://api.example.com/" });
const { searchParams, pathname } = new URL(signed);
const given = {
  path: PATH,
  expires: searchParams.get("expires") ?? "",
  signature: searchParams.get("signature") ?? "",
  secret: SECRET,
  now,
};

describe("a signed address", () => {
  it("is absolute, and contains only the path, a time and a signature", () => {
    expect(signed.startsWith(`https://api.example.com${PATH}?`)).toBe(true);
    expect(pathname).toBe(PATH);
    expect([...searchParams.keys()]).toEqual(["expires", "signature"]);
  });

  it("is good for 10 minutes", () => {
    expect(isFileUrlGood(given)).toBe(true);
    expect(isFileUrlGood({ ...given, now: minutesLater(9.9) })).toBe(true);
    expect(isFileUrlGood({ ...given, now: minutesLater(10) })).toBe(false);
  });

  it.each([
    ["another file", { path: PATH.replace("0123", "3210") }],
    ["another folder", { path: PATH.replace("payment_proofs", "chart_uploads") }],
    ["a later time", { expires: String(Number(given.expires) + 60) }],
    ["a time that is none", { expires: "NaN" }],
    ["a longer signature", { signature: `${given.signature}A` }],
    ["an empty signature", { signature: "" }],
    ["another secret", { secret: `${SECRET}!` }],
  ])("is not good for %s", (_, change) => {
    expect(isFileUrlGood({ ...given, ...change })).toBe(false);
  });

  it("names the administrator that it is for, and works for no other user", () => {
    const url = new URL(
      signFileUrl({ path: PATH, secret: SECRET, now, apiUrl: "http://x", admin: "a1" }),
    );
    const [admin, expires = "", signature = ""] = [...url.searchParams.values()];
    const named = { ...given, expires, signature };
    expect(isFileUrlGood({ ...named, admin })).toBe(true);
    expect(isFileUrlGood({ ...named, admin: "b2" })).toBe(false);
    expect(isFileUrlGood(named)).toBe(false);
    expect(isFileUrlGood({ ...given, admin: "a1" })).toBe(false);
  });

  it("is not good with any other last character", () => {
    const last = given.signature.at(-1);
    for (const other of "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_") {
      const signature = given.signature.slice(0, -1) + other;
      expect(isFileUrlGood({ ...given, signature })).toBe(other === last);
    }
  });
});
