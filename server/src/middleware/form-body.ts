import multer from "@koa/multer";
import type { AppMiddleware } from "../app-context.ts";
import { malformedRequest } from "../errors.ts";

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
