import { createTransport } from "nodemailer";
import { type Mail, type Mailer, mailNotSent } from "./mailer.ts";

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
