import type { FieldError } from "@shared/contract/errors.ts";
import type { z } from "zod";
import { ApiError } from "./api-error.ts";
import { issuesToFieldErrors } from "./field-errors.ts";

const CHECK_FIELDS = "Please check the marked fields.";
const MISMATCH = "New passwords do not match.";

/** What the fields of a form hold, by their names. */
export type FormFields = Record<string, FormDataEntryValue>;

/**
 * What a form holds, checked before it is sent.
 * @throws ApiError with field errors, as the server would answer
 */
export function parseForm<Output>(schema: z.ZodType<Output>, form: FormFields): Output {
  return passed(schema.safeParse(form), []);
}

/**
 * As `parseForm`, for a form that asks for a `new_password` twice; the `confirmation` is not sent.
 * @throws ApiError with field errors, also where the two differ
 */
export function parsePasswordForm<Output>(schema: z.ZodType<Output>, form: FormFields): Output {
  const differ = form.new_password !== form.confirmation;
  return passed(
    schema.safeParse(form),
    differ ? [{ field: "confirmation", message: MISMATCH }] : [],
  );
}

function passed<Output>(parsed: z.ZodSafeParseResult<Output>, more: FieldError[]): Output {
  const found = parsed.success ? [] : issuesToFieldErrors(parsed.error.issues);
  const fieldErrors = [...found, ...more];
  if (parsed.success && fieldErrors.length === 0) return parsed.data;
  throw new ApiError(CHECK_FIELDS, { status: 0, code: "invalid-input", fieldErrors });
}
