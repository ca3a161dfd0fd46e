import type { FieldError } from "@shared/contract/errors.ts";

export type FormErrors = Record<string, string>;

interface Issue {
  path: PropertyKey[];
  message: string;
}

/** What a schema found wrong, in the shape in which the server says it. */
export const issuesToFieldErrors = (issues: Issue[]): FieldError[] =>
  issues.map(({ path, message }) => ({ field: String(path[0] ?? ""), message }));

/** Messages by field; the first one of each field counts. */
export const toFormErrors = (fieldErrors: FieldError[]): FormErrors =>
  Object.fromEntries(
    fieldErrors.toReversed().map(({ field, message }) => [field, message] as const),
  );
