import { AppError } from "@shared/node/app-error.ts";
import { html } from "@shared/node/html.ts";
import type { AppMiddleware } from "../app-context.ts";
import { QUEUE_PATH } from "./visit-cookie.ts";

/**
 * Tells a person who may not see the page so in words. Whoever does not ask for a page gets the error as everywhere.
 * Trying again helps where the browser came from another site and so kept the cookie back on its first request.
 */
export const tellBrowsers: AppMiddleware = async (ctx, next) => {
  try {
    await next();
  } catch (error) {
    const isRefusal = error instanceof AppError && (error.status === 401 || error.status === 403);
    if (!isRefusal || ctx.accepts("json", "html") !== "html") throw error;
    ctx.status = error.status;
    ctx.type = "html";
    ctx.body = html`<!DOCTYPE html>
<html lang="en">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>Queue</title></head>
<body><main><h1>Queue</h1><p>${error.detail}</p><p><a href="${QUEUE_PATH}/">Try again</a></p></main></body>
</html>`.text;
  }
};
