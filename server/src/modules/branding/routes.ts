import { brandingRoutes } from "@shared/contract/routes/branding-routes.ts";
import { readBranding } from "@shared/domain/branding.ts";
import { AppError } from "@shared/runtime/app-error.ts";
import { type BoundRoute, handle } from "../../http/router.ts";
import type { AccountDeps } from "../accounts/identity/identity-provider.ts";
import { reauthenticateUnlessRecent } from "../accounts/two-factor.ts";
import type { ImageDeps } from "../files/image-decoder.ts";
import {
  deleteLogo,
  findLogo,
  readManifest,
  readPublicBranding,
  readStoredBranding,
  saveLogo,
  updateBranding,
} from "./branding.ts";
import { drawPreview } from "./preview-image.ts";

/** Its address changes with its content. */
const LOGO_CACHE_SECONDS = 86_400;
const PREVIEW_CACHE_SECONDS = 600;

export const brandingHandlers: BoundRoute<AccountDeps & ImageDeps>[] = [
  handle(brandingRoutes.getBranding, (_, { deps }) => readPublicBranding(deps)),
  handle(brandingRoutes.getLogo, async (_, { ctx, deps }) => {
    const logo = await findLogo(deps);
    if (!logo) throw new AppError("not-found", "There is no logo.");
    const { bytes, contentType } = logo;
    ctx.set("Cache-Control", `public, max-age=${LOGO_CACHE_SECONDS}`);
    ctx.set("Cross-Origin-Resource-Policy", "cross-origin");
    ctx.type = contentType;
    return bytes;
  }),
  handle(brandingRoutes.getManifest, async (_, { ctx, deps }) => {
    ctx.set("Cache-Control", "no-cache");
    ctx.type = "application/manifest+json";
    return Buffer.from(JSON.stringify(await readManifest(deps, ctx.get("Origin"))));
  }),
  handle(brandingRoutes.getPreview, async (_, { ctx, deps }) => {
    const [{ product_name: name }, logo] = await Promise.all([
      readBranding(deps.database),
      findLogo(deps),
    ]);
    const image = await drawPreview({ name, logo: logo?.bytes });
    ctx.set("Cache-Control", `public, max-age=${PREVIEW_CACHE_SECONDS}`);
    ctx.set("Cross-Origin-Resource-Policy", "cross-origin");
    ctx.type = "image/png";
    return image;
  }),
  handle(brandingRoutes.getStoredBranding, (_, { deps }) => readStoredBranding(deps)),
  handle(brandingRoutes.updateBranding, async ({ body }, { deps, session }) => {
    const { password, code, ...update } = body;
    await reauthenticateUnlessRecent(deps, session, { password, code });
    await updateBranding(deps, session, update);
    return { detail: "The branding is saved." };
  }),
  handle(brandingRoutes.saveLogo, async ({ files }, { deps, session }) => {
    await saveLogo(deps, session, files.logo);
    return { detail: "The logo is saved." };
  }),
  handle(brandingRoutes.deleteLogo, async (_, { deps, session }) => {
    await deleteLogo(deps, session);
    return { detail: "The logo is deleted." };
  }),
];
