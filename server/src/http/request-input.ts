import { Readable } from "node:stream";
import { bodyParser } from "@koa/bodyparser";
import multer, { type StorageEngine } from "@koa/multer";
import type { FieldError } from "@shared/contract/errors.ts";
import { MAX_UPLOAD_BYTES } from "@shared/contract/files.ts";
import { AppError } from "@shared/runtime/app-error.ts";
import { z } from "zod";
import type { AppContext, AppMiddleware } from "./context.ts";
import { lateRequest, malformedRequest } from "./errors.ts";
import { TemporaryFile, type Uploads } from "./uploads.ts";

/** Messages for issues whose schema has none. */
const defaultMessage: z.core.$ZodErrorMap = (issue) => {
  const field = fieldOf(issue.path ?? []) || "The input";
  return issue.input === undefined ? `${field} is missing.` : `${field} is not valid.`;
};

const fieldOf = (path: PropertyKey[]): string => path.slice(1).join(".");

/** What of a request is parsed. */
export interface RequestContext {
  params?: unknown;
  query: unknown;
  headers: unknown;
  request: { body?: unknown; files?: unknown };
}

/** Parses the parts of a request that have a schema. @throws AppError invalid-input with one error per invalid field */
export function parseRequest<Schema extends z.ZodObject>(
  schema: Schema,
  ctx: RequestContext,
): z.output<Schema> {
  const { params, query, headers, request } = ctx;
  const parts = { params, query, headers, body: request.body, files: uploadedFiles(ctx) };
  const parsed = schema.safeParse(parts, { error: defaultMessage });
  if (parsed.success) return parsed.data;
  throw invalidInput(
    parsed.error.issues.map(({ path, message }) => ({ field: fieldOf(path), message })),
    parsed.error,
  );
}

/** The message of the first error is shown to the user. */
function invalidInput(errors: FieldError[], cause: unknown): AppError {
  const detail = errors[0]?.message ?? "The input is not valid.";
  return new AppError("invalid-input", detail, { errors, cause });
}

const BODY_LIMIT = "100kb";

/** The decoder replaces bytes that are not UTF-8 with this character. */
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
  parsedMethods: ["POST", "PUT", "PATCH", "DELETE"],
  jsonLimit: BODY_LIMIT,
  formLimit: BODY_LIMIT,
  onError: refuse,
});

/** Of bodies without files. */
export const BODY_TIMEOUT_MS = 10_000;

/** @throws AppError body-timeout */
async function inBodyTime(reading: Promise<unknown>): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(lateRequest()), BODY_TIMEOUT_MS);
  });
  try {
    await Promise.race([reading, late]);
  } finally {
    clearTimeout(timer);
  }
}

/**
 * Reads JSON and URL-encoded bodies of up to 100 kB into `ctx.request.body`.
 * @throws AppError malformed-body, body-too-large, body-timeout
 */
export const parseBody: AppMiddleware = async (ctx, next) => {
  refuseIfGone(ctx);
  await inBodyTime(readBody(ctx, () => Promise.resolve()));
  if (ctx.request.rawBody?.includes(REPLACEMENT_CHARACTER)) throw malformedBody();
  await next();
};

/** More and longer fields than any form of this API has. */
const FORM_LIMITS = { fields: 20, fieldSize: 10_000, fieldNameSize: 100 };

const readFields = multer({ limits: { ...FORM_LIMITS, parts: FORM_LIMITS.fields } }).fields([]);

/** Reads a multipart form without files into `ctx.request.body`. @throws AppError malformed-body if it has files */
export const parseMultipartForm: AppMiddleware = async (ctx, next) => {
  refuseIfGone(ctx);
  const reading = readFields(ctx, () => Promise.resolve()).catch((error: unknown) => {
    throw malformedRequest(error);
  });
  await inBodyTime(reading);
  await next();
};

/**
 * The body of a caller who hung up while their session was read is lost: Multer would wait for it forever, and the body
 * parser would pass on none.
 */
function refuseIfGone(ctx: AppContext): void {
  const hasBody = ctx.is() !== null && ctx.request.length !== 0;
  if (hasBody && ctx.req.destroyed && !ctx.req.readableEnded) throw malformedRequest();
}

const multerErrorSchema = z.object({ name: z.literal("MulterError"), code: z.string() });
const streamSchema = z.object({ stream: z.instanceof(Readable) });
const filesSchema = z.array(
  z.object({ fieldname: z.string(), upload: z.instanceof(TemporaryFile) }),
);

/**
 * Reads a multipart form; its file is closed when the request is answered. Files other than `field` and bodies of other
 * types are ignored.
 * @throws AppError malformed-body, file-too-large, body-too-large, invalid-input for a second file, and those of `Uploads`
 */
export function parseUpload(field: string, uploads: Uploads): AppMiddleware {
  const upload = multer({
    storage: storageIn(uploads),
    limits: { ...FORM_LIMITS, fileSize: MAX_UPLOAD_BYTES, files: 1, parts: FORM_LIMITS.fields + 1 },
    fileFilter: (_, file, accept) => accept(null, file.fieldname === field),
  }).any();
  const receive: AppMiddleware = async (ctx, next) => {
    await upload(ctx, () => Promise.resolve()).catch((error: unknown) => {
      throw uploadError(error, field);
    });
    try {
      const form = ctx.is("multipart") ? JSON.stringify(ctx.request.body ?? {}) : "";
      if (form.includes(REPLACEMENT_CHARACTER)) throw malformedRequest();
      await next();
    } finally {
      await Promise.all(Object.values(uploadedFiles(ctx)).map((file) => file.close()));
    }
  };
  return async (ctx, next) => {
    refuseIfGone(ctx);
    const user = ctx.state.session?.user._id.toString() ?? ctx.ip;
    await uploads.admit(user, () => receive(ctx, next));
  };
}

/** Multer removes what it does not pass on: files of forms that are refused, or whose sender hung up. */
const storageIn = (uploads: Uploads): StorageEngine => ({
  _handleFile(request, file, settle) {
    const stored = uploads.store(request, streamSchema.parse(file).stream);
    stored.then((upload) => settle(undefined, Object.assign(file, { upload })), settle);
  },
  _removeFile(_, file, settle) {
    const stored = filesSchema.element.safeParse(file).data;
    // Its type requires an error.
    const removed = () => Reflect.apply(settle, undefined, []);
    Promise.resolve(stored?.upload.close()).then(removed, settle);
  },
});

/** The files of a multipart form, by field. */
export function uploadedFiles({
  request,
}: Pick<RequestContext, "request">): Record<string, TemporaryFile> {
  const files = filesSchema.safeParse(request.files).data ?? [];
  return Object.fromEntries(files.map(({ fieldname, upload }) => [fieldname, upload]));
}

function uploadError(cause: unknown, field: string): AppError {
  switch (multerErrorSchema.safeParse(cause).data?.code) {
    case undefined:
      return malformedRequest(cause);
    case "LIMIT_FILE_SIZE":
      return new AppError("file-too-large", "The file is too large. Use at most 5 MB.", { cause });
    case "LIMIT_FILE_COUNT":
      return invalidInput([{ field, message: "Send one file only." }], cause);
    default:
      return new AppError("body-too-large", "The form has too many or too long fields.", {
        cause,
      });
  }
}
