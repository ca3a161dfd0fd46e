import { MESSAGES } from "@shared/contract/messages.ts";
import { AppError } from "@shared/runtime/app-error.ts";

const RETRY_AFTER_SECONDS = 5;

/** No token, or one that is bad, expired or ended. */
export function unauthenticated(cause?: unknown): AppError {
  return new AppError("unauthenticated", "Please log in to continue.", { cause });
}

/** The page of the job queue was not opened from the admin screen, or not lately. */
export function dashboardNotOpen(cause?: unknown): AppError {
  const detail = "The queue is not open in this browser. Please open it from the admin screen.";
  return new AppError("unauthenticated", detail, { cause });
}

/** An address or a method that the API does not have. */
export function notFound(): AppError {
  return new AppError("not-found", "There is nothing at this address.");
}

/** Nobody has this name. */
export function userNotFound(): AppError {
  return new AppError("not-found", "There is no such user.");
}

/** A request that is not understood as such, whatever it asks for. */
export function malformedRequest(cause?: unknown): AppError {
  return new AppError("malformed-body", "The request could not be read.", { cause });
}

/** The database or the queue does not answer; it is worth trying again soon. */
export function unavailable(cause?: unknown): AppError {
  return new AppError("unavailable", "The service is not available. Please try again soon.", {
    cause,
    retryAfterSeconds: RETRY_AFTER_SECONDS,
  });
}

/** More requests than a limit allows; the same request is worth trying again after this time. */
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

/** A mailed link that was used, has expired, was replaced by a newer one, or never was. */
export function invalidToken(cause?: unknown): AppError {
  return new AppError("invalid-token", "This link is no longer valid. Please ask for a new one.", {
    cause,
  });
}

/** The current password that a change asks for is not the account's. */
export function wrongPassword(): AppError {
  return new AppError("wrong-password", MESSAGES.wrongPassword);
}

/** Another user has this name, in whatever case. */
export function usernameTaken(cause?: unknown): AppError {
  return new AppError("auth/username-already-in-use", "This username is already taken.", { cause });
}

/** Another account has this address, in whatever case. */
export function emailTaken(cause?: unknown): AppError {
  return new AppError("auth/email-already-in-use", "This e-mail address is already in use.", {
    cause,
  });
}
