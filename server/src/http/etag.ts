import { createHash } from "node:crypto";
import type { AppContext } from "./context.ts";

/** The body with its `ETag`; nothing and status 304 for a client that has it. */
export function unlessKnown<Body>(ctx: AppContext, body: Body): Body | undefined {
  ctx.etag = createHash("sha256").update(JSON.stringify(body)).digest("base64url");
  if (!isKnownToClient(ctx)) return body;
  ctx.status = 304;
  return undefined;
}

/** Not `ctx.fresh`: it ignores the tag if the client also sends `Cache-Control: no-cache`, as `fetch` may. */
function isKnownToClient(ctx: AppContext): boolean {
  const tags = ctx.get("If-None-Match").split(",");
  return tags.some((tag) => tag.trim().replace(/^W\//, "") === ctx.response.get("ETag"));
}
