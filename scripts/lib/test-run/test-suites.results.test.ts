import { describe, expect, it } from "vitest";
import {
  countCheck,
  countPlaywright,
  countSuite,
  countVitest,
  sumCounts,
  summaryLine,
} from "./test-suites.ts";

describe("counting of test results", () => {
  it("counts a check as one", () => {
    expect(countCheck(0)).toEqual({ passed: 1, failed: 0 });
    expect(countCheck(2)).toEqual({ passed: 0, failed: 1 });
  });

  it("counts a check that could not be started as failed", () => {
    expect(countCheck(null)).toEqual({ passed: 0, failed: 1 });
  });

  it("takes the counts of a suite from its report", () => {
    const counts = { passed: 7, failed: 2 };
    expect(countSuite({ exitCode: 1, counts })).toEqual(counts);
  });

  it.each([
    { when: "ends badly though its tests passed", exitCode: 1, counts: { passed: 3, failed: 0 } },
    { when: "leaves no report", exitCode: 0, counts: undefined },
    { when: "finds no tests", exitCode: 0, counts: { passed: 0, failed: 0 } },
  ])("counts a suite as failed that $when", ({ exitCode, counts }) => {
    expect(countSuite({ exitCode, counts }).failed).toBe(1);
  });

  it("keeps tests that did not run, though the suite ends well", () => {
    const counts = { passed: 7, failed: 3 };
    expect(countSuite({ exitCode: 0, counts })).toEqual(counts);
  });

  it("adds up all suites in one plain line", () => {
    const total = sumCounts([
      { passed: 1, failed: 0 },
      { passed: 40, failed: 2 },
    ]);
    expect(summaryLine(total)).toBe("41 passed, 2 failed");
  });
});

/** A file as Vitest reports it, by the results of its tests. */
function vitestFile(status: "passed" | "failed", ...results: string[]) {
  return { status, message: "", assertionResults: results.map((result) => ({ status: result })) };
}

/** The totals of a report are those of its files. */
function vitestReport(...testResults: ReturnType<typeof vitestFile>[]) {
  const results = testResults.flatMap(({ assertionResults }) => assertionResults);
  const count = (status: string) => results.filter((result) => result.status === status).length;
  return {
    numTotalTests: results.length,
    numPassedTests: count("passed"),
    numFailedTests: count("failed"),
    numPendingTests: count("skipped") + count("pending"),
    numTodoTests: count("todo"),
    success: testResults.every(({ status }) => status === "passed"),
    testResults,
  };
}

describe("a report of Vitest", () => {
  it.each([
    { what: "failed tests", file: vitestFile("failed", "passed", "failed"), failed: 1 },
    { what: "skipped tests", file: vitestFile("passed", "passed", "skipped"), failed: 1 },
    { what: "tests to do", file: vitestFile("passed", "passed", "todo"), failed: 1 },
    {
      what: "tests that were not reached",
      file: vitestFile("failed", "passed", "pending"),
      failed: 1,
    },
    { what: "a failed afterAll", file: vitestFile("failed", "passed"), failed: 1 },
  ])("counts $what as failed", ({ file, failed }) => {
    expect(countVitest(vitestReport(file))).toEqual({ passed: 1, failed });
  });

  it("counts all tests of a failed beforeAll as failed", () => {
    const report = vitestReport(vitestFile("failed", "skipped", "skipped"));
    expect(countVitest(report)).toEqual({ passed: 0, failed: 2 });
  });

  it("counts each file that cannot be loaded as failed, beside failed tests of other files", () => {
    const unloadable = vitestFile("failed");
    const report = vitestReport(unloadable, vitestFile("failed", "failed", "passed"), unloadable);
    expect(countVitest(report)).toEqual({ passed: 1, failed: 3 });
  });

  it("has no failures when everything passed", () => {
    const report = vitestReport(vitestFile("passed", "passed"), vitestFile("passed", "passed"));
    expect(countVitest(report)).toEqual({ passed: 2, failed: 0 });
  });
});

function playwrightReport(stats: Partial<Record<"skipped" | "unexpected" | "flaky", number>>) {
  const all = { expected: 4, skipped: 0, unexpected: 0, flaky: 0, ...stats };
  return {
    stats: { startTime: "2026-11-22T10:20:45.761Z", duration: 4588.1, ...all },
    errors: [] as const,
  };
}

describe("a report of Playwright", () => {
  it("counts tests that passed at the first attempt as passed", () => {
    expect(countPlaywright(playwrightReport({}))).toEqual({ passed: 4, failed: 0 });
  });

  it("counts a test that passed only at the second attempt as passed", () => {
    const report = playwrightReport({ unexpected: 1, flaky: 1 });
    expect(countPlaywright(report)).toEqual({ passed: 5, failed: 1 });
  });

  it("counts tests as failed that did not run because a project before theirs failed", () => {
    const report = playwrightReport({ unexpected: 1, skipped: 3 });
    expect(countPlaywright(report)).toEqual({ passed: 4, failed: 4 });
  });

  it("counts tests as failed that an interrupted run did not reach", () => {
    expect(countPlaywright(playwrightReport({ skipped: 2 }))).toEqual({ passed: 4, failed: 2 });
  });

  it("counts errors outside the tests as failures", () => {
    const report = { ...playwrightReport({}), errors: [{ message: "Error: cannot be loaded" }] };
    expect(countPlaywright(report)).toEqual({ passed: 4, failed: 1 });
  });
});
