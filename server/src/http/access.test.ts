import { Types } from "mongoose";
import { describe, expect, it } from "vitest";
import { assertAdmin, assertApproved, assertNotOwnAccount } from "./access.ts";

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

describe("assertNotOwnAccount", () => {
  it("lets an administrator act on others", () => {
    const admin = { _id: new Types.ObjectId() };
    const user = { _id: new Types.ObjectId() };
    expect(() => assertNotOwnAccount(admin, user)).not.toThrow();
  });

  it("rejects the own account by id, not by object identity", () => {
    const _id = new Types.ObjectId();
    expect(() => assertNotOwnAccount({ _id }, { _id: new Types.ObjectId(_id) })).toThrow(
      expect.objectContaining({ code: "own-account", status: 409 }),
    );
  });
});
