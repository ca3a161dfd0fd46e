import { Types } from "mongoose";
import { describe, expect, it } from "vitest";
import { runBudgetMs } from "./run-analysis.ts";

const plain = { revision: 1 };
const withImage = { revision: 1, chartImageId: new Types.ObjectId() };

describe("the time that a run may take", () => {
  it("ends before its request's timeout: 60 s, and 120 s with an image", () => {
    expect(runBudgetMs(plain)).toBe(54_000);
    expect(runBudgetMs(withImage)).toBe(114_000);
  });

  it("is 45 s for a run that takes over from a crashed worker", () => {
    expect(runBudgetMs({ ...plain, revision: 2 })).toBe(45_000);
    expect(runBudgetMs({ ...withImage, revision: 2 })).toBe(45_000);
  });
});
