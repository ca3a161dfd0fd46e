import { describe, expect, it } from "vitest";
import { countFailure, restartDelayMs } from "./supervised-service.mjs";

describe("delay before a part is started again", () => {
  it("doubles from half a second and stays at ten", () => {
    expect([1, 2, 3, 4, 5, 6, 7].map(restartDelayMs)).toEqual([
      500, 1_000, 2_000, 4_000, 8_000, 10_000, 10_000,
    ]);
  });

  it("grows while the part ends soon after its start", () => {
    expect(countFailure({ failures: 3, upMs: 59_999 })).toBe(4);
  });

  it("starts anew once the part has been up for a minute", () => {
    expect(countFailure({ failures: 9, upMs: 60_000 })).toBe(1);
  });
});
