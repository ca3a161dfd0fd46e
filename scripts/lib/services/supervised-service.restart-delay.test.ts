import { describe, expect, it } from "vitest";
import { countFailure, restartDelayMs } from "./supervised-service.ts";

describe("delay before a service is started again", () => {
  it("doubles from half a second and stays at ten", () => {
    expect([1, 2, 3, 4, 5, 6, 7].map(restartDelayMs)).toEqual([
      500, 1_000, 2_000, 4_000, 8_000, 10_000, 10_000,
    ]);
  });

  it("grows while the service exits soon after its start", () => {
    expect(countFailure(3, 59_999)).toBe(4);
  });

  it("starts from the beginning once the service has been up for a minute", () => {
    expect(countFailure(9, 60_000)).toBe(1);
  });
});
