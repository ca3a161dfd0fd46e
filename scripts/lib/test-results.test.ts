import { describe, expect, it } from "vitest";
import {
  countCheck,
  countPlaywright,
  countSuite,
  countVitest,
  sumCounts,
  summaryLine,
} from "./test-results.mjs";

describe("counting of test results", () => {
  it("counts a check as one", () => {
    expect(countCheck(0)).toEqual({ passed: 1, failed: 0 });
    expect(countCheck(2)).toEqual({ passed: 0, failed: 1 });
  });

  it("counts a check that could not be started as failed", () => {
    expect(countCheck(null)).toEqual({ passed: 0, failed: 1 });
  });

  it("takes the counts of a suite from its report", () => {
    const counts = countVitest({ numPassedTests: 7, numFailedTests: 2 });
    expect(countSuite({ exitCode: 1, counts })).toEqual({ passed: 7, failed: 2 });
  });

  it("counts a browser test that passed only at the second try as failed", () => {
    const counts = countPlaywright({ stats: { expected: 4, unexpected: 1, flaky: 1 } });
    expect(counts).toEqual({ passed: 4, failed: 2 });
  });

  it.each([
    { when: "ends badly though its tests passed", exitCode: 1, counts: { passed: 3, failed: 0 } },
    { when: "leaves no report", exitCode: 0, counts: undefined },
    { when: "finds no tests", exitCode: 0, counts: { passed: 0, failed: 0 } },
  ])("counts a suite as failed that $when", ({ exitCode, counts }) => {
    expect(countSuite({ exitCode, counts }).failed).toBe(1);
  });

  it("sums up all suites in one plain line", () => {
    const total = sumCounts([
      { passed: 1, failed: 0 },
      { passed: 40, failed: 2 },
    ]);
    expect(summaryLine(total)).toBe("41 passed, 2 failed");
  });
});
