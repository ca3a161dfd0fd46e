import { expect, test } from "vitest";
import { ApiError } from "../../lib/api/errors.ts";
import { changePasswordError } from "./account-page.tsx";

const FIXED = "Failed to change password. Please check your current password.";

test("the server's own words are shown as they are", () => {
  const error = new ApiError("Too many attempts.", { status: 429, code: "rate-limited" });
  expect(changePasswordError(error)).toEqual({ text: "Too many attempts.", reason: null });
});

test.each([
  [0, "network", "The server cannot be reached."],
  [502, "unknown", "Server error: 502 Bad Gateway"],
])("without an answer of the server (%d) the fixed text stands, with the reason", (...failure) => {
  const [status, code, reason] = failure;
  const error = new ApiError(reason, { status, code });
  expect(changePasswordError(error)).toEqual({ text: FIXED, reason });
});

test("anything else is the fixed text", () => {
  expect(changePasswordError(new Error("boom"))).toEqual({ text: FIXED, reason: null });
});
