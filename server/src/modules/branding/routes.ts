import { brandingRoutes } from "@shared/contract/routes/branding-routes.ts";
import { type BoundRoute, handle } from "../../http/router.ts";
import type { AccountDeps } from "../accounts/identity/identity-provider.ts";
import { reauthenticateUnlessRecent } from "../accounts/two-factor.ts";
import type { ImageDeps } from "../files/image-decoder.ts";
import {
  deleteLogo,
  readLogo,
  readPublicBranding,
  readStoredBranding,
  saveLogo,
  updateBranding,
} from "./branding.ts";

/** Its address changes with its content. */
const LOGO_CACHE_SECONDS = 86_400;

export const brandingHandlers: BoundRoute<AccountDeps & ImageDeps>[] = [
  handle(brandingRoutes.getBranding, (_, { deps }) => readPublicBranding(deps)),
  handle(brandingRoutes.getLogo, async (_, { ctx, deps }) => {
    const { bytes, contentType } = await readLogo(deps);
    ctx.set("Cache-Control", `public, max-age=${LOGO_CACHE_SECONDS}`);
    ctx.set("Cross-Origin-Resource-Policy", "cross-origin");
    ctx.type = contentType;
    return bytes;
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
