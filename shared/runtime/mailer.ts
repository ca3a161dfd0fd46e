import { randomUUID } from "node:crypto";
import { mkdir, rename, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { createTransport } from "nodemailer";
import { z } from "zod";
import { AppError } from "./app-error.ts";
import type { Logger } from "./logger.ts";
import { isThisMachine, type WorkerSettings } from "./settings.ts";

export interface Mail {
  to: string;
  subject: string;
  text: string;
  html: string;
  /** Secret: never logged if emails are really sent. */
  link: string;
  /** `Message-ID`, which all attempts share. Generated if absent. */
  messageId?: string;
  /** `POST` turns such emails off with one click (RFC 8058). */
  unsubscribeUrl?: string;
}

export interface Mailer {
  /** @throws AppError unavailable, caused by the error of the mail server */
  send(mail: Mail): Promise<void>;
  /** Whether emails can be sent now. */
  check(): Promise<MailState>;
}

type MailState = "done" | "no-server" | "unreachable";

const RETRY_AFTER_SECONDS = 30;

function mailNotSent(cause: unknown): AppError {
  return new AppError("unavailable", "The email could not be sent. Please try again later.", {
    cause,
    retryAfterSeconds: RETRY_AFTER_SECONDS,
  });
}

/** What nodemailer says of a recipient or a message. With 421, the server closes the connection. */
const refusalSchema = z.object({
  cause: z.object({
    code: z.enum(["EENVELOPE", "EMESSAGE"]),
    command: z.string().refine((command) => command !== "MAIL FROM"),
    responseCode: z
      .number()
      .refine((code) => code !== 421)
      .optional(),
  }),
});

/** Whether the mail server refused this recipient or this email, and may accept others. */
export const isRefusedEmail = (error: unknown): boolean => refusalSchema.safeParse(error).success;

/** Sends through the SMTP server of the settings, or writes to the outbox folder without one. */
export function selectMailer(options: {
  settings: Pick<WorkerSettings, "NODE_ENV" | "SMTP_URL" | "MAIL_FROM" | "DATA_DIR">;
  logger: Logger;
  now: () => Date;
}): Mailer {
  const { settings, logger, now } = options;
  const from = settings.MAIL_FROM;
  const { SMTP_URL: smtpUrl, NODE_ENV } = settings;
  if (smtpUrl) {
    const requireTls = NODE_ENV === "production" && !isThisMachine(new URL(smtpUrl).hostname);
    return createSmtpMailer({ smtpUrl, from, requireTls });
  }
  return createFileMailer({ folder: join(settings.DATA_DIR, "outbox"), from, logger, now });
}

const SEND_TIMEOUT_MS = 8_000;

/** Limit for each response of the server. */
const SILENCE_TIMEOUT_MS = 5_000;

export function createSmtpMailer(options: {
  smtpUrl: string;
  from: string;
  /** Never falls back to a connection without TLS. */
  requireTls?: boolean;
  sendTimeoutMs?: number;
  silenceTimeoutMs?: number;
}): Mailer {
  const { smtpUrl, from, requireTls = false, sendTimeoutMs = SEND_TIMEOUT_MS } = options;
  const { silenceTimeoutMs = SILENCE_TIMEOUT_MS } = options;
  const transport = createTransport({
    url: smtpUrl,
    requireTLS: requireTls,
    dnsTimeout: silenceTimeoutMs,
    connectionTimeout: silenceTimeoutMs,
    greetingTimeout: silenceTimeoutMs,
    socketTimeout: silenceTimeoutMs,
    disableFileAccess: true,
    disableUrlAccess: true,
  });
  return {
    async send(mail) {
      const signal = AbortSignal.timeout(sendTimeoutMs);
      try {
        await transport.sendMail({ ...messageOf(mail, from), signal });
      } catch (error) {
        throw mailNotSent(error);
      }
    },
    check: () =>
      transport.verify().then(
        () => "done",
        () => "unreachable",
      ),
  };
}

const messageOf = ({ to, subject, text, html, messageId, unsubscribeUrl }: Mail, from: string) => ({
  from,
  to: { name: "", address: to },
  subject,
  text,
  html,
  ...(messageId && { messageId }),
  ...(unsubscribeUrl && { list: { unsubscribe: unsubscribeUrl } }),
  headers: {
    "Auto-Submitted": "auto-generated",
    ...(unsubscribeUrl && { "List-Unsubscribe-Post": "List-Unsubscribe=One-Click" }),
  },
});

/** Writes each email as an .eml file and logs its link, for installations without an SMTP server. */
export function createFileMailer(options: {
  folder: string;
  from: string;
  logger: Logger;
  now: () => Date;
}): Mailer {
  const { folder, from, logger, now } = options;
  const composer = createTransport({ streamTransport: true, buffer: true, newline: "windows" });
  return {
    check: async () => "no-server",
    async send(mail) {
      const at = now();
      const { message } = await composer.sendMail({ ...messageOf(mail, from), date: at });
      const file = join(folder, `${at.toISOString().replaceAll(":", "-")}-${randomUUID()}.eml`);
      // Renamed when it is complete, so that no half-written email is read.
      const draft = `${file}.part`;
      try {
        await mkdir(folder, { recursive: true });
        await writeFile(draft, message, { mode: 0o600 });
        await rename(draft, file);
      } catch (error) {
        throw mailNotSent(error);
      }
      const { subject, link } = mail;
      logger.info({ subject, link, file }, "no SMTP_URL: email written to the outbox");
    },
  };
}
