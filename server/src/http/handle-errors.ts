import type { ErrorBody } from "@shared/contract/errors.ts";
import { AppError } from "@shared/runtime/app-error.ts";
import { z } from "zod";
import type { AppMiddleware } from "./context.ts";
import { isDatabaseUnavailable } from "./database-errors.ts";
import { malformedRequest, notFound, unauthenticated, unavailable } from "./errors.ts";

const clientFaultSchema = z.object({
  status: z.number().int().min(400).max(499),
  expose: z.literal(true),
});

/** Turns every error into a response with the error body of the contract. */
export const handleErrors: AppMiddleware = async (ctx, next) => {
  try {
    await next();
  } catch (error) {
    const failure = toAppError(error);
    if (failure.status >= 500) ctx.state.log.error({ err: error }, "request failed");
    const { retryAfterSeconds } = failure;
    if (retryAfterSeconds !== undefined) ctx.set("Retry-After", String(retryAfterSeconds));
    if (failure.status === 401) ctx.set("WWW-Authenticate", "Bearer");
    ctx.status = failure.status;
    ctx.body = {
      detail: failure.detail,
      code: failure.serviceCode ?? failure.code,
      request_id: ctx.state.requestId,
      errors: failure.errors,
      signal_id: failure.signalId,
    } satisfies ErrorBody;
  }
};

/** Responds with `not-found` if no route responds. */
export const handleNotFound: AppMiddleware = async (ctx, next) => {
  await next();
  if (ctx.status === 404 && ctx.body === undefined) throw notFound();
};

export function toAppError(error: unknown): AppError {
  if (error instanceof AppError) return error;
  if (isDatabaseUnavailable(error)) return unavailable(error);
  const clientFault = clientFaultSchema.safeParse(error);
  if (clientFault.success) return fromClientFault(clientFault.data.status, error);
  return new AppError("internal", "Something went wrong on our side. Please try again.", {
    cause: error,
  });
}

function fromClientFault(status: number, cause: unknown): AppError {
  if (status === 401) return unauthenticated(cause);
  if (status === 404) return notFound();
  return malformedRequest(cause);
}
