import type { FieldError } from "@shared/contract/errors.ts";

/** One message per field name. */
export type FormErrors = Record<string, string>;

interface Issue {
  path: PropertyKey[];
  message: string;
}

/** What a schema found wrong, as the form's fields show it; the first message of each field counts. */
export function issuesToErrors(issues: Issue[]): FormErrors {
  return toErrors(issues.map(({ path, message }) => ({ field: String(path[0] ?? ""), message })));
}

/** What the server found wrong, by field. */
export function toErrors(fieldErrors: FieldError[]): FormErrors {
  return Object.fromEntries(
    fieldErrors.toReversed().map(({ field, message }) => [field, message] as const),
  );
}
