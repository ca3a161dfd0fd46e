import { describe, expect, it } from "vitest";
import { cutText } from "./cut-text.ts";

describe("a text that is cut", () => {
  it("stays as it is up to its limit", () => {
    expect(cutText("short", 5)).toBe("short");
    expect(cutText("", 5)).toBe("");
  });

  it("has at most as many characters as the limit, with the mark of the cut", () => {
    expect(cutText("abcdef", 5)).toBe("abcd…");
  });

  it.each([
    ["an emoji of two halves", "\u{1f680}"],
    ["a flag", "\u{1f1e9}\u{1f1ea}"],
    ["a family", "\u{1f468}\u200d\u{1f469}\u200d\u{1f467}"],
    ["a letter with a combining accent", "e\u0301"],
    ["a syllable of another alphabet", "\u0915\u094d\u0937\u093f"],
  ])("never ends within %s", (_, character) => {
    for (let before = 290; before < 300; before += 1) {
      const text = `${"a".repeat(before)}${character.repeat(20)}`;
      const shown = cutText(text, 300);
      expect(shown.length).toBeLessThanOrEqual(300);
      expect(shown.isWellFormed()).toBe(true);
      expect((shown.length - 1 - before) % character.length).toBe(0);
    }
  });

  it("replaces half a character that came from outside", () => {
    expect(cutText("up \ud83d", 300)).toBe("up \ufffd");
  });
});
