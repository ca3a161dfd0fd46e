import { Types } from "mongoose";
import { describe, expect, it } from "vitest";
import { runBudgetMs } from "./run-signal.ts";

const createdAt = new Date("2025-03-01T12:00:00Z");
const secondsLater = (seconds: number) => new Date(createdAt.getTime() + seconds * 1_000);
const plain = { createdAt, revision: 1 };
const withImage = { ...plain, chartImageId: new Types.ObjectId() };

describe("the time that a run may take", () => {
  it("ends before its request's time-out: 60 s, and 120 s with an image", () => {
    expect(runBudgetMs(plain, createdAt)).toBe(54_000);
    expect(runBudgetMs(plain, secondsLater(10))).toBe(44_000);
    expect(runBudgetMs(withImage, createdAt)).toBe(114_000);
    expect(runBudgetMs(withImage, secondsLater(60))).toBe(54_000);
  });

  it("is 20 s at least, however long the signal waited", () => {
    expect(runBudgetMs(plain, secondsLater(300))).toBe(20_000);
    expect(runBudgetMs(withImage, secondsLater(300))).toBe(20_000);
  });

  it("is 45 s for a run that takes over from a dead worker", () => {
    expect(runBudgetMs({ ...plain, revision: 2 }, secondsLater(1))).toBe(45_000);
    expect(runBudgetMs({ ...withImage, revision: 2 }, secondsLater(1))).toBe(45_000);
  });
});
