import { randomCases } from "@shared/testing/random-cases.ts";
import fc from "fast-check";
import { expect, test } from "vitest";
import { accentOf, contrast, THEMES } from "./accent.ts";

const GROUNDS = {
  dark: ["#0a0d12", "#10151c", "#18202a"],
  light: ["#f4f6f9", "#ffffff", "#e9edf2"],
} as const;

const color = fc
  .integer({ min: 0, max: 0xffffff })
  .map((value) => `#${value.toString(16).padStart(6, "0")}`);

test.each(THEMES)(
  "any colour can be read on all grounds of the %s theme, and text on it",
  (theme) => {
    fc.assert(
      fc.property(color, (chosen) => {
        const { accent, strong, on } = accentOf(chosen, theme);
        for (const ground of GROUNDS[theme]) {
          expect(contrast(accent, ground)).toBeGreaterThanOrEqual(4.5);
          expect(contrast(strong, ground)).toBeGreaterThanOrEqual(4.5);
        }
        expect(contrast(on, accent)).toBeGreaterThanOrEqual(4.5);
        expect(contrast(on, strong)).toBeGreaterThanOrEqual(4.5);
      }),
      randomCases(2_000),
    );
  },
);

test("a colour that can be read stays as it is", () => {
  expect(accentOf("#f2bd52", "dark").accent).toBe("#f2bd52");
  expect(accentOf("#08714d", "light").accent).toBe("#08714d");
});

test("contrast is that of WCAG", () => {
  expect(contrast("#ffffff", "#000000")).toBeCloseTo(21, 5);
  expect(contrast("#777777", "#ffffff")).toBeCloseTo(4.48, 2);
});
