import helmet from "koa-helmet";
import type { AppMiddleware } from "../app-context.ts";

const setHelmetHeaders = helmet({
  contentSecurityPolicy: {
    useDefaults: false,
    directives: { defaultSrc: ["'none'"], frameAncestors: ["'none'"] },
  },
});

/** Headers for an API that serves no pages: nothing is run, framed or kept in a cache. */
export const securityHeaders: AppMiddleware = (ctx, next) => {
  ctx.set("Cache-Control", "no-store");
  return setHelmetHeaders(ctx, next);
};
