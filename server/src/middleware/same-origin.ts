import { AppError } from "@shared/node/app-error.ts";
import type { AppMiddleware } from "../app-context.ts";
import type { ServerDeps } from "../server-deps.ts";

/**
 * Refuses changes that a page of another origin asks for: browsers send a cookie along with them too, and always say
 * where they come from. Our own origin is the address that browsers are told; and since the same server may be reached
 * by others and TLS may end before us, the host that was asked.
 */
export function sameOrigin({ settings }: Pick<ServerDeps, "settings">): AppMiddleware {
  const known = new URL(settings.VITE_API_URL).host;
  return (ctx, next) => {
    const origin = ctx.get("Origin");
    const host = URL.canParse(origin) ? new URL(origin).host : "";
    if (host === "" || (host !== known && host !== ctx.host)) {
      throw new AppError("foreign-origin", "This can only be done on the page of the queue.");
    }
    return next();
  };
}
