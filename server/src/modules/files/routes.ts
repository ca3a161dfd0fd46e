import Router from "@koa/router";
import type { ActionDone } from "@shared/contract/admin.ts";
import type { ChartImageList, CleanupResult } from "@shared/contract/files.ts";
import type { Database } from "@shared/database/database.ts";
import type { StoredFileRecord } from "@shared/database/models/stored-file.ts";
import {
  FILE_KINDS,
  type FileKind,
  filePath,
  fileStore,
  isFilename,
} from "@shared/files/file-store.ts";
import { AppError } from "@shared/runtime/app-error.ts";
import { z } from "zod";
import { requireAdmin, requireUser } from "../../http/access.ts";
import {
  type AppContext,
  type AppMiddleware,
  type AppRouter,
  type AppState,
  sessionOf,
} from "../../http/context.ts";
import { parseInput } from "../../http/request-input.ts";
import type { ServerDeps } from "../../server-deps.ts";
import { cleanupImages, deleteChartImage, listChartImages } from "./chart-images.ts";
import { assertMayReadFile, fileNotAllowed } from "./policy.ts";
import { isFileUrlGood } from "./signed-url.ts";

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
      if (!file) throw fileNotFound();
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
  if (!bytes) throw fileNotFound();
  ctx.type = file.contentType;
  ctx.body = bytes;
}

function fileNotFound(): AppError {
  return new AppError("not-found", "There is no such file.");
}

const imageParamsSchema = z.object({ filename: z.string() });

/** The administrators' gallery of uploaded chart images. */
export function createChartImageRoutes(deps: ServerDeps): AppRouter {
  const router = new Router<AppState>();
  const admin = [requireUser(deps), requireAdmin()];

  router.get("/admin/chart-images", ...admin, async (ctx) => {
    ctx.body = { images: await listChartImages(deps) } satisfies ChartImageList;
  });

  router.delete("/admin/delete-chart-image/:filename", ...admin, async (ctx) => {
    const { filename } = parseInput(imageParamsSchema, ctx.params);
    await deleteChartImage(deps, { admin: sessionOf(ctx).user, filename });
    ctx.body = { detail: "The chart image is deleted." } satisfies ActionDone;
  });

  router.post("/admin/cleanup-images", ...admin, async (ctx) => {
    const result = await cleanupImages(deps, { admin: sessionOf(ctx).user });
    ctx.body = result satisfies CleanupResult;
  });

  return router;
}

/** What is known of a file, or null if there is none of this name; a text that is no name is not looked for. */
async function findStoredFile(
  database: Database,
  { kind, filename }: { kind: FileKind; filename: string },
): Promise<StoredFileRecord | null> {
  if (!isFilename(filename)) return null;
  if (kind === "payment_proofs") return database.paymentProofs.findOne({ filename }).lean();
  return database.chartImages.findOne({ filename }).lean();
}
