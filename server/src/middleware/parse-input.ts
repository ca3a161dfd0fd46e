import type { FieldError } from "@shared/contract/errors.ts";
import { AppError } from "@shared/node/app-error.ts";
import type { z } from "zod";

/** Plain words where the schema itself has none. */
const plainWords: z.core.$ZodErrorMap = (issue) => {
  const field = issue.path?.join(".") || "The input";
  return issue.input === undefined ? `${field} is missing.` : `${field} is not valid.`;
};

/**
 * Checks what came with a request (body, path or query) against its schema.
 * @throws AppError invalid-input naming each field that is wrong
 */
export function parseInput<Schema extends z.ZodType>(
  schema: Schema,
  input: unknown,
): z.output<Schema> {
  const parsed = schema.safeParse(input, { error: plainWords });
  if (parsed.success) return parsed.data;
  throw invalidInput(parsed.error);
}

/** A failed check as an answer; its first complaint is the sentence to be shown. */
function invalidInput(error: z.ZodError): AppError {
  const errors: FieldError[] = error.issues.map((issue) => ({
    field: issue.path.join("."),
    message: issue.message,
  }));
  const detail = errors[0]?.message ?? "The input is not valid.";
  return new AppError("invalid-input", detail, { errors, cause: error });
}
