import type { ChartImage, CleanupResult } from "@shared/contract/files.ts";
import { adminRoutes } from "@shared/contract/routes/admin-routes.ts";
import { paymentRoutes } from "@shared/contract/routes/payment-routes.ts";
import type { Database } from "@shared/database/database.ts";
import { type FileKind, fileStore } from "@shared/database/file-bytes.ts";
import type { StoredFileRecord } from "@shared/database/models/signal.ts";
import type { UserRecord } from "@shared/database/models/user.ts";
import { mustEnrol } from "@shared/domain/access.ts";
import {
  cleanUpFiles,
  filePath,
  isFilename,
  presentChartImage,
  removeChartImages,
} from "@shared/domain/file-store.ts";
import { ADMINS_STREAM } from "@shared/outbox/streams.ts";
import { AppError } from "@shared/runtime/app-error.ts";
import { z } from "zod";
import type { AppContext, AppMiddleware } from "../../http/context.ts";
import { type BoundRoute, type Call, handle } from "../../http/router.ts";
import type { AuthenticatedSession } from "../../http/sessions.ts";
import type { ServerDeps } from "../../server-deps.ts";
import { addLimitedLogEntry, commitAsAdmin } from "../admin/security-log.ts";
import { createSignPath, isFileUrlGood, withSignedUrl } from "./signed-url.ts";

export async function listChartImages(deps: ServerDeps, admin: UserRecord): Promise<ChartImage[]> {
  const images = await deps.database.chartImages.find().sort({ createdAt: -1, _id: -1 }).lean();
  const signPath = createSignPath(deps, admin);
  return images.map((image) => withSignedUrl(presentChartImage(image), signPath));
}

export function deleteChartImage(
  deps: ServerDeps,
  admin: AuthenticatedSession,
  filename: string,
): Promise<void> {
  const { database } = deps;
  return commitAsAdmin(deps, admin, ADMINS_STREAM, async (uow) => {
    const image = await database.chartImages.findOne({ filename }).session(uow.session).lean();
    if (!image) throw new AppError("not-found", "There is no such image.");
    await removeChartImages(database, uow, [image]);
    uow.log({ type: "chart-image:deleted", user: image.username, details: { filename } });
  });
}

/** Deletes chart images that are old or belong to no signal, as the nightly cleanup does. */
export async function cleanupImages(
  { database, now }: ServerDeps,
  { username: actor }: UserRecord,
): Promise<CleanupResult> {
  const deleted = await cleanUpFiles({ database, now, actor });
  return { detail: `${deleted} chart ${deleted === 1 ? "image" : "images"} deleted.`, deleted };
}

export const fileHandlers: BoundRoute[] = [
  handle(paymentRoutes.getProofImage, ({ params }, call) =>
    sendFile(call, "payment_proofs", params.filename),
  ),
  handle(paymentRoutes.getChartImage, ({ params }, call) =>
    sendFile(call, "chart_uploads", params.filename),
  ),
  handle(adminRoutes.listChartImages, async (_, { deps, session }) => ({
    images: await listChartImages(deps, session.user),
  })),
  handle(adminRoutes.deleteChartImage, async ({ params }, { deps, session }) => {
    await deleteChartImage(deps, session, params.filename);
    return { detail: "The chart image is deleted." };
  }),
  handle(adminRoutes.cleanUpImages, (_, { deps, session }) => cleanupImages(deps, session.user)),
];

const isSigned = (ctx: AppContext): boolean => "signature" in ctx.query || "expires" in ctx.query;

/** Requires a bearer token unless the URL is signed. */
export const unlessSigned =
  (requireToken: AppMiddleware): AppMiddleware =>
  (ctx, next) =>
    isSigned(ctx) ? next() : requireToken(ctx, next);

/**
 * Browsers may keep the image, but check each time that they may still show it. What an administrator reads is recorded,
 * also through the signed URLs that they get: these name them.
 */
async function sendFile(call: Call, kind: FileKind, filename: string): Promise<Buffer | undefined> {
  const { ctx, deps } = call;
  const reader = isSigned(ctx)
    ? await readerOfUrl(deps, ctx, filePath(kind, filename))
    : call.session.user;
  const file = await findStoredFile(deps.database, kind, filename);
  if (!file) throw fileNotFound();
  if (reader) assertMayReadFile(reader, file);
  if (reader?.role === "admin") await logRead(call, reader, kind, file);
  ctx.set({
    "Cache-Control": "private, no-cache",
    "Content-Disposition": `inline; filename="${file.filename}"`,
    // Pages of the web host, which is another origin, show it.
    "Cross-Origin-Resource-Policy": "cross-origin",
  });
  ctx.etag = file.filename;
  if (ctx.fresh) {
    ctx.status = 304;
    return undefined;
  }
  const bytes = await fileStore(deps.database, kind).read(file._id);
  if (!bytes) throw fileNotFound();
  ctx.type = file.contentType;
  return bytes;
}

const signatureSchema = z.object({
  expires: z.string(),
  signature: z.string(),
  admin: z.string().optional(),
});

/** The administrator for whom a URL was signed; undefined for the owner's own. */
async function readerOfUrl(
  { database, settings, now }: ServerDeps,
  ctx: AppContext,
  path: string,
): Promise<UserRecord | undefined> {
  const signature = signatureSchema.safeParse(ctx.query).data;
  const secret = settings.JWT_SECRET;
  if (!signature || !isFileUrlGood({ ...signature, path, secret, now: now() }))
    throw fileNotAllowed();
  if (signature.admin === undefined) return undefined;
  const reader = await database.users.findById(signature.admin).lean();
  if (!reader || mustEnrol(settings, reader)) throw fileNotAllowed();
  return reader;
}

/** A page shows an image several times, so one entry per hour and file is enough. */
async function logRead(
  { deps, origin }: Call,
  admin: UserRecord,
  kind: FileKind,
  { filename, userId }: StoredFileRecord,
): Promise<void> {
  if (admin._id.equals(userId)) return;
  const owner = await deps.database.users.findById(userId).select({ username: 1 }).lean();
  const entry = {
    type: "file:read",
    actor: admin.username,
    user: owner?.username ?? null,
    details: { kind, filename },
  } as const;
  await addLimitedLogEntry(deps, origin, entry, 1);
}

async function findStoredFile(
  database: Database,
  kind: FileKind,
  filename: string,
): Promise<StoredFileRecord | null> {
  if (!isFilename(filename)) return null;
  if (kind === "payment_proofs") return database.paymentProofs.findOne({ filename }).lean();
  return database.chartImages.findOne({ filename }).lean();
}

const fileNotFound = () => new AppError("not-found", "There is no such file.");

/** Only the owner and administrators may read a file. */
function assertMayReadFile(user: Pick<UserRecord, "_id" | "role">, file: StoredFileRecord): void {
  if (user.role === "admin" || user._id.equals(file.userId)) return;
  throw fileNotAllowed();
}

function fileNotAllowed(): AppError {
  return new AppError(
    "file-not-allowed",
    "You do not have access to this file, or its URL has expired.",
  );
}
