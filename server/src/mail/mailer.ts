import { AppError } from "@shared/node/app-error.ts";

/** A mail about one thing to do, which is behind `link`. */
export interface Mail {
  /** The recipient's address. */
  to: string;
  subject: string;
  text: string;
  html: string;
  /** Good as a password: not to be logged where mails really leave. */
  link: string;
}

/** Where mails go. */
export interface Mailer {
  /** @throws AppError unavailable, within seconds, when the mail was not accepted */
  send(mail: Mail): Promise<void>;
}

const RETRY_AFTER_SECONDS = 30;

/** A mail that did not get away. */
export function mailNotSent(cause: unknown): AppError {
  return new AppError("unavailable", "The e-mail could not be sent. Please try again later.", {
    cause,
    retryAfterSeconds: RETRY_AFTER_SECONDS,
  });
}
