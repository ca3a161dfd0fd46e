import mongoose from "mongoose";
import { describe, expect, it } from "vitest";
import { duplicateField, isDatabaseUnavailable } from "./database-errors.ts";

const { MongoNetworkError, MongoNetworkTimeoutError, MongoServerError } = mongoose.mongo;

describe("isDatabaseUnavailable", () => {
  it.each([
    ["a lost connection", new MongoNetworkError("connection closed")],
    ["a connection that is silent", new MongoNetworkTimeoutError("timed out")],
    ["a server that is no longer the primary", new MongoServerError({ code: 10_107 })],
    ["a server that shuts down", new MongoServerError({ code: 11_600 })],
    [
      "a write that can be tried again",
      new MongoServerError({ errorLabels: ["RetryableWriteError"] }),
    ],
    [
      "a transaction that cannot win",
      new MongoServerError({ errorLabels: ["TransientTransactionError"] }),
    ],
    ["a socket that was just closed", Object.assign(new Error("write EPIPE"), { code: "EPIPE" })],
  ])("is true for %s", (_, error) => {
    expect(isDatabaseUnavailable(error)).toBe(true);
  });

  it.each([
    ["a mistake in a query", new MongoServerError({ code: 2, errmsg: "unknown operator" })],
    ["a duplicate key", new MongoServerError({ code: 11_000 })],
    ["a bug", new TypeError("x is not a function")],
    ["a missing file", Object.assign(new Error("no such file"), { code: "ENOENT" })],
    ["what is no error", "MongoNetworkError"],
  ])("is false for %s", (_, error) => {
    expect(isDatabaseUnavailable(error)).toBe(false);
  });
});

describe("duplicateField", () => {
  it("names the field of the index that refused", () => {
    const error = new MongoServerError({ code: 11_000, keyPattern: { emailKey: 1 } });
    expect(duplicateField(error)).toBe("emailKey");
  });

  it("is undefined for anything else", () => {
    expect(duplicateField(new MongoServerError({ code: 112 }))).toBeUndefined();
    expect(duplicateField(new Error("E11000 duplicate key"))).toBeUndefined();
  });
});
