import Router from "@koa/router";
import { AppError } from "@shared/node/app-error.ts";
import { FILE_KINDS, type FileKind, filePath } from "@shared/node/files/file-kinds.ts";
import { fileStore } from "@shared/node/files/file-store.ts";
import { isFileUrlGood } from "@shared/node/files/signed-url.ts";
import type { StoredFileRecord } from "@shared/node/models/stored-file.ts";
import { z } from "zod";
import {
  type AppContext,
  type AppMiddleware,
  type AppRouter,
  type AppState,
  sessionOf,
} from "../app-context.ts";
import { findStoredFile } from "../files/find-stored-file.ts";
import { requireUser } from "../middleware/authenticate.ts";
import { parseInput } from "../middleware/parse-input.ts";
import { assertMayReadFile, fileNotAllowed } from "../policies/image-policies.ts";
import type { ServerDeps } from "../server-deps.ts";

const paramsSchema = z.object({ filename: z.string() });
const signatureSchema = z.object({ expires: z.string(), signature: z.string() });

const isSigned = (ctx: AppContext): boolean => "signature" in ctx.query || "expires" in ctx.query;

/** Uploaded pictures: for their owner and for administrators, by bearer token, or for whoever has a signed address. */
export function createFileRoutes(deps: ServerDeps): AppRouter {
  const router = new Router<AppState>();
  const requireToken = requireUser(deps);
  const requireTokenOrSignature: AppMiddleware = (ctx, next) =>
    isSigned(ctx) ? next() : requireToken(ctx, next);

  for (const kind of FILE_KINDS) {
    router.get(filePath(kind, ":filename"), requireTokenOrSignature, async (ctx) => {
      const { filename } = parseInput(paramsSchema, ctx.params);
      if (isSigned(ctx)) assertGoodSignature(deps, ctx, filePath(kind, filename));
      const file = await findStoredFile(deps.database, { kind, filename });
      if (!file) throw noSuchFile();
      if (!isSigned(ctx)) assertMayReadFile(sessionOf(ctx).user, file);
      await answerWithFile(deps, ctx, { kind, file });
    });
  }
  return router;
}

function assertGoodSignature(
  { settings, now }: Pick<ServerDeps, "settings" | "now">,
  ctx: AppContext,
  path: string,
): void {
  const given = signatureSchema.safeParse(ctx.query).data;
  const secret = settings.JWT_SECRET;
  if (!given || !isFileUrlGood({ ...given, path, secret, now: now() })) throw fileNotAllowed();
}

/** A browser may keep the picture, but asks each time whether it may still show it. */
async function answerWithFile(
  { database }: Pick<ServerDeps, "database">,
  ctx: AppContext,
  { kind, file }: { kind: FileKind; file: StoredFileRecord },
): Promise<void> {
  ctx.set({
    "Cache-Control": "private, no-cache",
    "Content-Disposition": `inline; filename="${file.filename}"`,
    // Pages of the web host, which is another origin, show it.
    "Cross-Origin-Resource-Policy": "cross-origin",
  });
  ctx.status = 200;
  ctx.etag = file.filename;
  if (ctx.fresh) {
    ctx.status = 304;
    return;
  }
  const bytes = await fileStore(database, kind).read(file._id);
  if (!bytes) throw noSuchFile();
  ctx.type = file.contentType;
  ctx.body = bytes;
}

function noSuchFile(): AppError {
  return new AppError("not-found", "There is no such file.");
}
