import { expect, test } from "vitest";
import { ApiError } from "../../lib/api/errors.ts";
import { authErrorText } from "./auth-page.tsx";

const failure = (status: number, code: string, detail: string) =>
  new ApiError(detail, { status, code });

test.each(["auth/username-already-in-use", "INVALID_LOGIN_CREDENTIALS"])(
  "the identity code %s is shown beside the sentence",
  (code) => {
    expect(authErrorText(failure(409, code, "Taken."))).toEqual({ code, text: "Taken." });
  },
);

test.each([
  [401, "invalid-credentials"],
  [429, "rate-limited"],
  [0, "network"],
  [502, "unknown"],
])("of a %d %s only the sentence is shown", (status, code) => {
  expect(authErrorText(failure(status, code, "A sentence."))).toEqual({
    code: null,
    text: "A sentence.",
  });
});

test("without any words the fixed text stands in", () => {
  expect(authErrorText(new Error("")).text).toBe("An unexpected error occurred.");
  expect(authErrorText("thrown").text).toBe("An unexpected error occurred.");
});
