import { randomUUID } from "node:crypto";
import { mkdir, rename, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { AppError } from "@shared/runtime/app-error.ts";
import type { Logger } from "@shared/runtime/logger.ts";
import type { Settings } from "@shared/runtime/settings.ts";
import { createTransport } from "nodemailer";

export interface Mail {
  to: string;
  subject: string;
  text: string;
  html: string;
  /** Secret: never logged if emails are really sent. */
  link: string;
}

export interface Mailer {
  /** @throws AppError unavailable */
  send(mail: Mail): Promise<void>;
}

const RETRY_AFTER_SECONDS = 30;

function mailNotSent(cause: unknown): AppError {
  return new AppError("unavailable", "The email could not be sent. Please try again later.", {
    cause,
    retryAfterSeconds: RETRY_AFTER_SECONDS,
  });
}

/** Sends through the SMTP server of the settings, or writes to the outbox folder without one. */
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

/** Limit for sending one email. */
const SEND_TIMEOUT_MS = 8_000;

/** Limit for each response of the server. */
const SILENCE_TIMEOUT_MS = 5_000;

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

/** Writes each email as an .eml file and logs its link, for installations without an SMTP server. */
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
    this.#logger.info({ subject, link, file }, "no SMTP_URL: email written to the outbox");
  }

  /** Renames the file when it is complete, so that no half-written email is read. */
  async #write(file: string, message: Parameters<typeof writeFile>[1]): Promise<void> {
    const draft = `${file}.part`;
    await mkdir(this.#folder, { recursive: true });
    await writeFile(draft, message, { mode: 0o600 });
    await rename(draft, file);
  }
}
