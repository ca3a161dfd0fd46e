import Router from "@koa/router";
import type { ActionDone } from "@shared/contract/admin.ts";
import type { ChartImageList, CleanupResult } from "@shared/contract/files.ts";
import { z } from "zod";
import { type AppRouter, type AppState, sessionOf } from "../app-context.ts";
import { cleanupImages } from "../commands/cleanup-images.ts";
import { deleteChartImage } from "../commands/delete-chart-image.ts";
import { listChartImages } from "../commands/list-chart-images.ts";
import { requireAdmin, requireUser } from "../middleware/authenticate.ts";
import { parseInput } from "../middleware/parse-input.ts";
import type { ServerDeps } from "../server-deps.ts";

const paramsSchema = z.object({ filename: z.string() });

/** The administrators' gallery of uploaded chart images. */
export function createChartImageRoutes(deps: ServerDeps): AppRouter {
  const router = new Router<AppState>();
  const admin = [requireUser(deps), requireAdmin()];

  router.get("/admin/chart-images", ...admin, async (ctx) => {
    ctx.body = { images: await listChartImages(deps) } satisfies ChartImageList;
  });

  router.delete("/admin/delete-chart-image/:filename", ...admin, async (ctx) => {
    const { filename } = parseInput(paramsSchema, ctx.params);
    await deleteChartImage(deps, { admin: sessionOf(ctx).user, filename });
    ctx.body = { detail: "The chart image is deleted." } satisfies ActionDone;
  });

  router.post("/admin/cleanup-images", ...admin, async (ctx) => {
    const result = await cleanupImages(deps, { admin: sessionOf(ctx).user });
    ctx.body = result satisfies CleanupResult;
  });

  return router;
}
