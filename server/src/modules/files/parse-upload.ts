import multer from "@koa/multer";
import { MAX_UPLOAD_BYTES } from "@shared/contract/files.ts";
import { AppError } from "@shared/runtime/app-error.ts";
import { z } from "zod";
import type { AppContext, AppMiddleware } from "../../http/context.ts";
import { malformedRequest } from "../../http/errors.ts";

/** Text fields beside the file; more and longer than any form of ours has. */
const LIMITS = {
  fileSize: MAX_UPLOAD_BYTES,
  files: 1,
  fields: 20,
  fieldSize: 10_000,
  fieldNameSize: 100,
  parts: 21,
} as const;

/** The decoder puts this character in the place of bytes that are not UTF-8. */
const REPLACEMENT_CHARACTER = "\uFFFD";

/** How the parser says that a limit was exceeded; what else it throws is about a body that it could not read. */
const limitSchema = z.object({ name: z.literal("MulterError"), code: z.string() });
const uploadsSchema = z.tuple([z.object({ buffer: z.instanceof(Buffer) })]);

/**
 * Reads a multipart body into memory: its text into `ctx.request.body`, and of its files the one called `field`, for
 * `uploadedFile`. Files of other names are passed over. A body of another type is left as it is.
 * @throws AppError malformed-body, file-too-large, body-too-large, invalid-input for a second file
 */
export function parseUpload(field: string): AppMiddleware {
  const upload = multer({
    storage: multer.memoryStorage(),
    limits: LIMITS,
    fileFilter: (_, file, accept) => accept(null, file.fieldname === field),
  }).any();
  return async (ctx, next) => {
    await upload(ctx, () => Promise.resolve()).catch((error: unknown) => refuse(error, field));
    const form = ctx.is("multipart") ? JSON.stringify(ctx.request.body ?? {}) : "";
    if (form.includes(REPLACEMENT_CHARACTER)) throw malformedRequest();
    await next();
  };
}

/** The file that `receiveUpload` has read, if there was one. */
export function uploadedFile(ctx: AppContext): Buffer | undefined {
  return uploadsSchema.safeParse(ctx.request.files).data?.[0].buffer;
}

/** The file that a form must bring is not there; `message` is the sentence to be shown. */
export function missingFile(field: string, message: string): AppError {
  return new AppError("invalid-input", message, { errors: [{ field, message }] });
}

function refuse(error: unknown, field: string): never {
  const limit = limitSchema.safeParse(error).data?.code;
  switch (limit) {
    case undefined:
      throw malformedRequest(error);
    case "LIMIT_FILE_SIZE":
      throw new AppError("file-too-large", "The file is too large. Use at most 5 MB.", {
        cause: error,
      });
    case "LIMIT_FILE_COUNT": {
      const message = "Send one file only.";
      throw new AppError("invalid-input", message, { errors: [{ field, message }], cause: error });
    }
    default:
      throw new AppError("body-too-large", "The form has too many fields, or too long ones.", {
        cause: error,
      });
  }
}
