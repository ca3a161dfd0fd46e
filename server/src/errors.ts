import { AppError } from "@shared/node/app-error.ts";

const RETRY_AFTER_SECONDS = 5;

/** No token, or one that is bad, expired or ended. */
export function unauthenticated(cause?: unknown): AppError {
  return new AppError("unauthenticated", "Please log in to continue.", { cause });
}

/** An address or a method that the API does not have. */
export function notFound(): AppError {
  return new AppError("not-found", "There is nothing at this address.");
}

/** The database or the queue does not answer; it is worth trying again soon. */
export function unavailable(cause?: unknown): AppError {
  return new AppError("unavailable", "The service is not available. Please try again soon.", {
    cause,
    retryAfterSeconds: RETRY_AFTER_SECONDS,
  });
}

/** Another user has this name, in whatever case. */
export function usernameTaken(cause: unknown): AppError {
  return new AppError("auth/username-already-in-use", "This username is already taken.", { cause });
}

/** Another account has this address, in whatever case. */
export function emailTaken(cause: unknown): AppError {
  return new AppError("auth/email-already-in-use", "This e-mail address is already in use.", {
    cause,
  });
}
