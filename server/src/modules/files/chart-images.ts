import type { ChartImage, CleanupResult } from "@shared/contract/files.ts";
import { presentChartImage, removeChartImages } from "@shared/files/chart-images.ts";
import { cleanUpFiles } from "@shared/files/clean-up-files.ts";
import { ADMINS_STREAM } from "@shared/outbox/streams.ts";
import { AppError } from "@shared/runtime/app-error.ts";
import type { ServerDeps } from "../../server-deps.ts";
import { type Admin, type AdminDeps, commitAsAdmin } from "../admin/security-log.ts";
import { createSignPath, withSignedUrl } from "./signed-url.ts";

export async function listChartImages(
  deps: Pick<ServerDeps, "database" | "settings" | "now">,
  admin: Admin,
): Promise<ChartImage[]> {
  const images = await deps.database.chartImages.find().sort({ createdAt: -1, _id: -1 }).lean();
  const signPath = createSignPath(deps, admin);
  return images.map((image) => withSignedUrl(presentChartImage(image), signPath));
}

export function deleteChartImage(
  deps: AdminDeps,
  { admin, filename }: { admin: Admin; filename: string },
): Promise<void> {
  const { database } = deps;
  return commitAsAdmin(deps, { admin, lockKeys: ADMINS_STREAM }, async (uow) => {
    const image = await database.chartImages.findOne({ filename }).session(uow.session).lean();
    if (!image) throw new AppError("not-found", "There is no such image.");
    await removeChartImages(database, uow, [image]);
    uow.log({ type: "chart-image:deleted", user: image.username, details: { filename } });
  });
}

/** Deletes chart images that are old or belong to no signal, as the nightly cleanup does. */
export async function cleanupImages(
  { database, now }: AdminDeps,
  { admin }: { admin: Admin },
): Promise<CleanupResult> {
  const deleted = await cleanUpFiles({ database, now, actor: admin.username });
  return { detail: `${deleted} chart ${deleted === 1 ? "image" : "images"} deleted.`, deleted };
}
