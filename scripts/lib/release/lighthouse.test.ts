import { describe, expect, it } from "vitest";
import { findFailures, median, reportTable } from "./lighthouse.mjs";

const good = { performance: 98, accessibility: 100, "best-practices": 100, seo: 100 };
const slow = { ...good, performance: 80 };

describe("the Lighthouse report", () => {
  it("judges by the middle run, so that one slow run fails nothing", () => {
    const runs = [slow, good, good];
    expect(findFailures([{ screen: "/", preset: "mobile", runs }])).toEqual([]);
    expect(findFailures([{ screen: "/", preset: "mobile", runs: [slow, slow, good] }])).toEqual([
      "/ (mobile): performance 80, below 95",
    ]);
  });

  it("misses no category that a run says nothing of", () => {
    const runs = [{ performance: 99, accessibility: 100, "best-practices": 100 }];
    expect(findFailures([{ screen: "/bot", preset: "desktop", runs }])).toEqual([
      "/bot (desktop): seo 0, below 100",
    ]);
  });

  it("shows the single runs where they differ", () => {
    const table = reportTable([{ screen: "/bot", preset: "desktop", runs: [good, slow, good] }]);
    expect(table).toContain("98 (98, 80, 98)");
    expect(table.split("\n")).toHaveLength(2);
  });

  it("takes the lower of two middle figures", () => {
    expect(median([90, 100])).toBe(90);
  });
});
