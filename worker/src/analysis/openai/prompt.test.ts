import { expect, it } from "vitest";
import { SYSTEM_PROMPT } from "./prompt.ts";

it("gives the scale of the confidence, and no number or range to aim for", () => {
  const [, confidence = ""] = /\nCONFIDENCE\n(.+?)\n\n/s.exec(SYSTEM_PROMPT) ?? [];
  expect(confidence).toContain("percentage from 0 to 100");
  expect(confidence.match(/\d+(?:\.\d+)?/g)).toEqual(["0", "100"]);
  const elsewhere = SYSTEM_PROMPT.replace(confidence, "");
  expect(elsewhere).not.toMatch(/confidence[^.\n]*\d/i);
});
