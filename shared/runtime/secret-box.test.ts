import { describe, expect, it } from "vitest";
import { SecretBox } from "./secret-box.ts";

const secret = "a secret of tests, longer than 32 characters";
const box = new SecretBox({ secret, purpose: "tokens" });

describe("SecretBox", () => {
  it("opens what it has sealed", () => {
    expect(box.open(box.seal("a token, with ümlauts"))).toBe("a token, with ümlauts");
  });

  it("shows nothing of it, and seals it differently each time", () => {
    const sealed = box.seal("a token");
    expect(Buffer.from(sealed, "base64url").toString("latin1")).not.toContain("a token");
    expect(box.seal("a token")).not.toBe(sealed);
  });

  it.each([
    ["another secret", new SecretBox({ secret: `${secret}!`, purpose: "tokens" })],
    ["another purpose", new SecretBox({ secret, purpose: "files" })],
  ])("does not open what was sealed under %s", (_, other) => {
    expect(box.open(other.seal("a token"))).toBeNull();
  });

  it("opens nothing that was changed, cut or never sealed", () => {
    const sealed = Buffer.from(box.seal("a token"), "base64url");
    const changed = Buffer.from(sealed);
    changed[changed.length - 1] = (changed.at(-1) ?? 0) ^ 1;
    for (const bytes of [
      changed,
      sealed.subarray(0, -1),
      sealed.subarray(0, 10),
      Buffer.from(""),
    ]) {
      expect(box.open(bytes.toString("base64url"))).toBeNull();
    }
  });
});
