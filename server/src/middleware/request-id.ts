import { randomUUID } from "node:crypto";
import type { Logger } from "@shared/node/logger.ts";
import type { AppMiddleware } from "../app-context.ts";

const SANE_REQUEST_ID = /^[A-Za-z0-9_-]{1,64}$/;

/** Names each request, by the caller's own `X-Request-Id` if that is sane, in the answer and in every log line. */
export function requestId(logger: Logger): AppMiddleware {
  return (ctx, next) => {
    const given = ctx.get("X-Request-Id");
    const id = SANE_REQUEST_ID.test(given) ? given : randomUUID();
    ctx.state.requestId = id;
    ctx.state.log = logger.child({ requestId: id });
    ctx.set("X-Request-Id", id);
    return next();
  };
}
