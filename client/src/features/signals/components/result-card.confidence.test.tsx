import { renderToStaticMarkup } from "react-dom/server";
import { expect, test } from "vitest";
import { ConfidenceBar } from "./result-card.tsx";

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
] as const)("an uncalibrated $signal of $confidence is neutral", ({ level, ...given }) => {
  for (const calibrated of [null, undefined]) {
    const html = renderToStaticMarkup(<ConfidenceBar {...given} calibrated={calibrated} />);
    expect(textOf(html)).toContain(`${given.confidence}% stated confidence, not yet calibrated`);
    expect(html).toContain(`data-level="${level}"`);
    expect(html).toContain(`aria-valuenow="${given.confidence}"`);
    expect(html).not.toMatch(RATING_COLOURS);
  }
});

test("a calibrated confidence is rated by colour and word, with what it is calibrated to", () => {
  const html = renderToStaticMarkup(<ConfidenceBar signal="BUY" confidence={80} calibrated={57} />);
  expect(textOf(html)).toContain("Confidence High 80% Calibrated: 57%");
  expect(html).toMatch(RATING_COLOURS);
});

test("a WAIT is neutral, and promises no calibration", () => {
  const html = renderToStaticMarkup(
    <ConfidenceBar signal="WAIT" confidence={75} calibrated={null} />,
  );
  expect(textOf(html)).toContain("75% stated confidence");
  expect(textOf(html)).not.toContain("calibrated");
  expect(html).not.toMatch(RATING_COLOURS);
});
