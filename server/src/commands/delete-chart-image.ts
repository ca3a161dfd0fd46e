import { AppError } from "@shared/node/app-error.ts";
import { removeChartImages } from "@shared/node/files/remove-chart-images.ts";
import { ADMINS_STREAM } from "@shared/outbox/streams.ts";
import { type Admin, type AdminDeps, commitAdminChange } from "./admin-change.ts";

/**
 * Deletes a chart image; the signal that it belongs to stays.
 * @throws AppError not-found
 */
export function deleteChartImage(
  deps: AdminDeps,
  { admin, filename }: { admin: Admin; filename: string },
): Promise<void> {
  const { database } = deps;
  return commitAdminChange(deps, { admin, lockKeys: ADMINS_STREAM }, async (uow) => {
    const image = await database.chartImages.findOne({ filename }).session(uow.session).lean();
    if (!image) throw new AppError("not-found", "There is no such image.");
    await removeChartImages(database, uow, [image]);
  });
}
