import { join } from "node:path";
import type { Logger } from "@shared/node/logger.ts";
import type { Settings } from "@shared/node/settings.ts";
import type { Mailer } from "./mailer.ts";
import { OutboxMailer } from "./outbox-mailer.ts";
import { SmtpMailer } from "./smtp-mailer.ts";

/** The mail server of the settings, or the outbox folder where they name none. */
export function selectMailer(options: {
  settings: Pick<Settings, "SMTP_URL" | "MAIL_FROM" | "DATA_DIR">;
  logger: Logger;
  now: () => Date;
}): Mailer {
  const { settings, logger, now } = options;
  const from = settings.MAIL_FROM;
  if (settings.SMTP_URL) return new SmtpMailer({ smtpUrl: settings.SMTP_URL, from });
  return new OutboxMailer({ folder: join(settings.DATA_DIR, "outbox"), from, logger, now });
}
