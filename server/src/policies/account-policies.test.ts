import { describe, expect, it } from "vitest";
import { assertAdmin, assertApproved } from "./account-policies.ts";

describe("assertApproved", () => {
  it("lets approved users pass", () => {
    expect(() => assertApproved({ approved: true })).not.toThrow();
  });

  it("refuses the others", () => {
    expect(() => assertApproved({ approved: false })).toThrow(
      expect.objectContaining({ code: "not-approved", status: 403 }),
    );
  });
});

describe("assertAdmin", () => {
  it("lets administrators pass", () => {
    expect(() => assertAdmin({ role: "admin" })).not.toThrow();
  });

  it("refuses the others", () => {
    expect(() => assertAdmin({ role: "user" })).toThrow(
      expect.objectContaining({ code: "not-admin", status: 403 }),
    );
  });
});
