import { randomUUID } from "node:crypto";
import { mkdir, rename, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { AppError } from "@shared/runtime/app-error.ts";
import type { Logger } from "@shared/runtime/logger.ts";
import type { Settings } from "@shared/runtime/settings.ts";
import { createTransport } from "nodemailer";

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
function mailNotSent(cause: unknown): AppError {
  return new AppError("unavailable", "The e-mail could not be sent. Please try again later.", {
    cause,
    retryAfterSeconds: RETRY_AFTER_SECONDS,
  });
}

/** The mail server of the settings, or the outbox folder where they name none. */
export function selectMailer(options: {
  settings: Pick<Settings, "SMTP_URL" | "MAIL_FROM" | "DATA_DIR">;
  logger: Logger;
  now: () => Date;
}): Mailer {
  const { settings, logger, now } = options;
  const from = settings.MAIL_FROM;
  if (settings.SMTP_URL) return new SmtpMailer({ smtpUrl: settings.SMTP_URL, from });
  return new FileMailer({ folder: join(settings.DATA_DIR, "outbox"), from, logger, now });
}

/** The longest that handing over one mail may take, however slowly the mail server goes on. */
const SEND_TIMEOUT_MS = 8_000;

/** The longest silence of the mail server, at any point. */
const SILENCE_TIMEOUT_MS = 5_000;

/** Hands mails to a mail server, one connection each. */
export class SmtpMailer implements Mailer {
  readonly #transport: ReturnType<typeof createSmtpTransport>;
  readonly #from: string;
  readonly #sendTimeoutMs: number;

  constructor(options: {
    smtpUrl: string;
    from: string;
    sendTimeoutMs?: number;
    silenceTimeoutMs?: number;
  }) {
    const { smtpUrl, silenceTimeoutMs = SILENCE_TIMEOUT_MS } = options;
    this.#transport = createSmtpTransport(smtpUrl, silenceTimeoutMs);
    this.#from = options.from;
    this.#sendTimeoutMs = options.sendTimeoutMs ?? SEND_TIMEOUT_MS;
  }

  async send({ to, subject, text, html }: Mail): Promise<void> {
    try {
      await this.#transport.sendMail({
        from: this.#from,
        to: { name: "", address: to },
        subject,
        text,
        html,
        headers: { "Auto-Submitted": "auto-generated" },
        signal: AbortSignal.timeout(this.#sendTimeoutMs),
      });
    } catch (error) {
      throw mailNotSent(error);
    }
  }
}

function createSmtpTransport(smtpUrl: string, silenceTimeoutMs: number) {
  return createTransport({
    url: smtpUrl,
    dnsTimeout: silenceTimeoutMs,
    connectionTimeout: silenceTimeoutMs,
    greetingTimeout: silenceTimeoutMs,
    socketTimeout: silenceTimeoutMs,
    disableFileAccess: true,
    disableUrlAccess: true,
  });
}

/**
 * Where there is no mail server: writes each mail as an .eml file into a folder and logs its link, so that whoever
 * runs the product can open it.
 */
export class FileMailer implements Mailer {
  readonly #composer = createTransport({ streamTransport: true, buffer: true, newline: "windows" });
  readonly #folder: string;
  readonly #from: string;
  readonly #logger: Logger;
  readonly #now: () => Date;

  constructor(options: { folder: string; from: string; logger: Logger; now: () => Date }) {
    this.#folder = options.folder;
    this.#from = options.from;
    this.#logger = options.logger;
    this.#now = options.now;
  }

  async send({ to, subject, text, html, link }: Mail): Promise<void> {
    const at = this.#now();
    const composed = await this.#composer.sendMail({
      from: this.#from,
      to: { name: "", address: to },
      subject,
      text,
      html,
      date: at,
    });
    const file = join(this.#folder, `${at.toISOString().replaceAll(":", "-")}-${randomUUID()}.eml`);
    try {
      await this.#write(file, composed.message);
    } catch (error) {
      throw mailNotSent(error);
    }
    this.#logger.info({ subject, link, file }, "no SMTP_URL: mail written to the outbox");
  }

  /** Under another name until it is whole, so that nobody reads half a mail. */
  async #write(file: string, message: Parameters<typeof writeFile>[1]): Promise<void> {
    const draft = `${file}.part`;
    await mkdir(this.#folder, { recursive: true });
    await writeFile(draft, message, { mode: 0o600 });
    await rename(draft, file);
  }
}
