import { MESSAGES } from "@shared/contract/constants.ts";
import { AppError } from "@shared/runtime/app-error.ts";

const RETRY_AFTER_SECONDS = 5;

export function unauthenticated(cause?: unknown): AppError {
  return new AppError("unauthenticated", "Please log in to continue.", { cause });
}

export function dashboardNotOpen(): AppError {
  const detail = "The queue is not open in this browser. Open it from the admin page.";
  return new AppError("unauthenticated", detail);
}

/** Unknown path or method. */
export function notFound(): AppError {
  return new AppError("not-found", "There is nothing at this URL.");
}

export function userNotFound(): AppError {
  return new AppError("not-found", "There is no such user.");
}

export function malformedRequest(cause?: unknown): AppError {
  return new AppError("malformed-body", "The request could not be read.", { cause });
}

/** Its rest did not come in time. */
export function lateRequest(): AppError {
  return new AppError("body-timeout", "The request was not sent completely in time.");
}

/** The database or the queue is unavailable. Clients may retry soon. */
export function unavailable(cause?: unknown): AppError {
  return new AppError("unavailable", "The service is unavailable. Please try again soon.", {
    cause,
    retryAfterSeconds: RETRY_AFTER_SECONDS,
  });
}

export function rateLimited(retryAfterSeconds: number): AppError {
  const [count, unit] =
    retryAfterSeconds < 120
      ? [retryAfterSeconds, "second"]
      : [Math.ceil(retryAfterSeconds / 60), "minute"];
  const wait = `${count} ${unit}${count === 1 ? "" : "s"}`;
  return new AppError("rate-limited", `Too many requests. Please try again in ${wait}.`, {
    retryAfterSeconds,
  });
}

/** The user's limit of AI analyses for the UTC day. */
export function analysesUsedUp(limit: number, at: Date): AppError {
  const detail = `You have used all ${limit} AI analyses of today. You can request more from 00:00 UTC. Until then, you only get signals for markets that are already analyzed.`;
  const dayMs = 86_400_000;
  const retryAfterSeconds = Math.ceil((dayMs - (at.getTime() % dayMs)) / 1_000);
  return new AppError("rate-limited", detail, { retryAfterSeconds });
}

export function idempotencyConflict(): AppError {
  const detail =
    "This Idempotency-Key was used for another request. Send the request with a new one.";
  return new AppError("idempotency-conflict", detail);
}

/** For changes that a stolen session must not make. */
export function reauthenticationRequired(): AppError {
  return new AppError("reauthentication-required", "Enter your password to continue.");
}

export function wrongPasswordOrCode(): AppError {
  return new AppError("wrong-password", "Wrong password or code.");
}

/** Link of an email that was used, replaced or has expired. */
export function invalidToken(): AppError {
  return new AppError("invalid-token", "This link is no longer valid. Please request a new one.");
}

/** For an account that an email asks about. */
export function accountInUse(): AppError {
  const detail =
    "This account is verified or in use, so this link cannot delete it. Choose a new password to make it yours.";
  return new AppError("invalid-token", detail);
}

export function wrongPassword(): AppError {
  return new AppError("wrong-password", MESSAGES.wrongPassword);
}

export function usernameTaken(cause?: unknown): AppError {
  return new AppError("auth/username-already-in-use", "This username is already taken.", { cause });
}

export function emailTaken(cause?: unknown): AppError {
  return new AppError("auth/email-already-in-use", "This email address is already in use.", {
    cause,
  });
}
