import { bodyParser } from "@koa/bodyparser";
import multer from "@koa/multer";
import type { FieldError } from "@shared/contract/errors.ts";
import { AppError } from "@shared/runtime/app-error.ts";
import { z } from "zod";
import type { AppMiddleware } from "./context.ts";
import { malformedRequest } from "./errors.ts";

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

const BODY_LIMIT = "100kb";

/** The decoder puts this character in the place of bytes that are not UTF-8. */
const REPLACEMENT_CHARACTER = "\uFFFD";

const tooLargeSchema = z.object({ status: z.literal(413) });

function malformedBody(cause?: unknown): AppError {
  return new AppError("malformed-body", "The body of the request could not be read.", { cause });
}

function refuse(error: unknown): never {
  if (!tooLargeSchema.safeParse(error).success) throw malformedBody(error);
  throw new AppError("body-too-large", "The body of the request is too large.", { cause: error });
}

const readBody: AppMiddleware = bodyParser({
  enableTypes: ["json", "form"],
  jsonLimit: BODY_LIMIT,
  formLimit: BODY_LIMIT,
  onError: refuse,
});

/**
 * Reads JSON and urlencoded bodies of up to 100 kB into `ctx.request.body`.
 * @throws AppError malformed-body, body-too-large
 */
export const parseBody: AppMiddleware = (ctx, next) =>
  readBody(ctx, async () => {
    if (ctx.request.rawBody?.includes(REPLACEMENT_CHARACTER)) throw malformedBody();
    await next();
  });

/** Room for a few words and numbers. */
const LIMITS = { fields: 20, parts: 20, fieldSize: 10_000, fieldNameSize: 100 };

/** Takes no file, whatever its field is called. */
const readFields = multer({ limits: LIMITS }).fields([]);

/**
 * Reads a multipart form without files into `ctx.request.body`, as `parseBody` does JSON and urlencoded forms.
 * @throws AppError malformed-body, also where the form has a file or too many fields
 */
export const parseMultipartForm: AppMiddleware = async (ctx, next) => {
  await readFields(ctx, () => Promise.resolve()).catch((error: unknown) => {
    throw malformedRequest(error);
  });
  await next();
};
