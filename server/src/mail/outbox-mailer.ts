import { randomUUID } from "node:crypto";
import { mkdir, rename, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Logger } from "@shared/node/logger.ts";
import { createTransport } from "nodemailer";
import { type Mail, type Mailer, mailNotSent } from "./mailer.ts";

/**
 * Where there is no mail server: writes each mail as an .eml file into a folder and logs its link, so that whoever
 * runs the product can open it.
 */
export class OutboxMailer implements Mailer {
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
