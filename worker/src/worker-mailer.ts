import { type Mailer, selectMailer } from "@shared/runtime/mailer.ts";

/** None in production without a mail server, as links in emails must not be logged. */
export function createMailer(options: Parameters<typeof selectMailer>[0]): Mailer | null {
  const { NODE_ENV, SMTP_URL } = options.settings;
  return SMTP_URL === undefined && NODE_ENV === "production" ? null : selectMailer(options);
}
