import { renderToStaticMarkup } from "react-dom/server";
import { expect, test } from "vitest";
import { ConfidenceBar } from "./chance.tsx";

const RATING_COLOURS = /bg-(?:buy|sell|wait)/;

const textOf = (html: string) =>
  html
    .replaceAll(/<[^>]+>/g, " ")
    .replaceAll(/\s+/g, " ")
    .trim();

test.each([
  { signal: "BUY", confidence: 80, level: "high" },
  { signal: "SELL", confidence: 62, level: "medium" },
  { signal: "SELL", confidence: 40, level: "low" },
] as const)(
  "an uncalibrated $signal of $confidence is neutral",
  ({ level, signal, confidence }) => {
    for (const calibrated_confidence of [null, undefined]) {
      const analysis = { confidence, calibrated_confidence };
      const html = renderToStaticMarkup(<ConfidenceBar signal={signal} analysis={analysis} />);
      expect(textOf(html)).toContain(`${confidence}% stated confidence, not yet calibrated`);
      expect(html).toContain(`data-level="${level}"`);
      expect(html).toContain(`aria-valuenow="${confidence}"`);
      expect(html).not.toMatch(RATING_COLOURS);
    }
  },
);

test("a calibrated confidence is rated by colour and word, with what it is calibrated to", () => {
  const analysis = { confidence: 80, calibrated_confidence: 57 };
  const html = renderToStaticMarkup(<ConfidenceBar signal="BUY" analysis={analysis} />);
  expect(textOf(html)).toContain("Confidence High 80% Calibrated: 57%");
  expect(html).toMatch(RATING_COLOURS);
});

test("a WAIT is neutral, and promises no calibration", () => {
  const analysis = { confidence: 75, calibrated_confidence: null };
  const html = renderToStaticMarkup(<ConfidenceBar signal="WAIT" analysis={analysis} />);
  expect(textOf(html)).toContain("75% stated confidence");
  expect(textOf(html)).not.toContain("calibrated");
  expect(html).not.toMatch(RATING_COLOURS);
});
