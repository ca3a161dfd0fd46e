import { expect, test } from "vitest";
import { ApiError } from "../../lib/api/errors.ts";
import { historyErrorText } from "./api.ts";

test.each([
  [
    new ApiError("too slow", { status: 0, code: "timeout" }),
    "Server took too long to respond. Please try again.",
  ],
  [
    new ApiError("too slow", { status: 504, statusText: "Gateway Timeout", code: "timeout" }),
    "Server took too long to respond. Please try again.",
  ],
  [
    new ApiError("broken", { status: 500, statusText: "Internal Server Error", code: "internal" }),
    "Server error: 500 Internal Server Error",
  ],
  [new ApiError("gone", { status: 0, code: "network" }), "Failed to connect to the backend API."],
  [new Error("anything else"), "Failed to connect to the backend API."],
])("%s", (error, text) => {
  expect(historyErrorText(error)).toBe(text);
});
