import { bodyParser } from "@koa/bodyparser";
import { AppError } from "@shared/node/app-error.ts";
import { z } from "zod";
import type { AppMiddleware } from "../app-context.ts";

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
