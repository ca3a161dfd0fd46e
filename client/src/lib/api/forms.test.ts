import {
  changePasswordRequestSchema,
  forgotPasswordRequestSchema,
} from "@shared/contract/authentication.ts";
import { expect, test } from "vitest";
import { ApiError } from "./errors.ts";
import { type FormFields, parseForm, parsePasswordForm } from "./forms.ts";

/** The field errors that a check ends with. */
function errorsOf(check: () => unknown) {
  try {
    check();
  } catch (error) {
    if (error instanceof ApiError) return error.fieldErrors;
  }
  return null;
}
const change = (form: FormFields) => parsePasswordForm(changePasswordRequestSchema, form);
const tooShort = {
  field: "new_password",
  message: "New password must be at least 6 characters long.",
};
const mismatch = { field: "confirmation", message: "New passwords do not match." };

test("a filled-in form becomes the request, and nothing beside it", () => {
  expect(parseForm(forgotPasswordRequestSchema, { email: "a@example.com", other: "x" })).toEqual({
    email: "a@example.com",
  });
  expect(
    change({ current_password: "old", new_password: "secret-123", confirmation: "secret-123" }),
  ).toEqual({ current_password: "old", new_password: "secret-123" });
});

test("a field that is wrong is named with its message", () => {
  expect(errorsOf(() => parseForm(forgotPasswordRequestSchema, { email: "unknown" }))).toEqual([
    { field: "email", message: "Enter a valid email address." },
  ]);
});

test.each([
  ["secret-123", "secret-124", [mismatch]],
  ["short", "short", [tooShort]],
  ["short", "other", [tooShort, mismatch]],
])(
  "a new password %j confirmed by %j is refused in words",
  (new_password, confirmation, errors) => {
    const form = { current_password: "old", new_password, confirmation };
    expect(errorsOf(() => change(form))).toEqual(errors);
  },
);
