import { mkdtemp, readdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type FakeSmtp, readMail, startFakeSmtp } from "@shared/testing/fakes/fake-smtp.ts";
import { freePort } from "@shared/testing/spawn-service.ts";
import { afterEach, beforeEach, describe, expect, it, onTestFinished } from "vitest";
import { composeEmail } from "./compose-email.ts";
import { createLogger } from "./logger.ts";
import { createFileMailer, createSmtpMailer } from "./mailer.ts";

const from = "AI Trading Signals <signals@example.com>";
const invitation = {
  to: "ann@example.com",
  username: "ann",
  link: "https://app.example.com/reset-password?token=abcDEF_123-",
};
const wording = {
  subject: "Choose a new password for AI Trading Signals",
  request: "you can choose a new password here:",
  button: "Choose a new password",
  note: "The link works once.",
};
const mailOf = (changes: Partial<typeof invitation> = {}) =>
  composeEmail({ ...invitation, ...changes }, wording);
const unavailable = {
  code: "unavailable",
  detail: "The email could not be sent. Please try again later.",
  retryAfterSeconds: 30,
};

describe("createSmtpMailer", () => {
  let smtp: FakeSmtp;
  beforeEach(async () => {
    smtp = await startFakeSmtp();
  });
  afterEach(() => smtp.close());

  const mailer = (limits: { sendTimeoutMs?: number; silenceTimeoutMs?: number } = {}) =>
    createSmtpMailer({ smtpUrl: smtp.url, from, ...limits });

  it("delivers a mail that can be read as text and as HTML", async () => {
    await mailer().send(mailOf());
    const [mail] = smtp.mails;
    expect(mail).toMatchObject({
      to: ["ann@example.com"],
      link: invitation.link,
      text: expect.stringMatching(/^Hello ann,\n\n.*here:\n\nhttps:.*\n\n.*works once/s),
      html: expect.stringContaining(`href="${invitation.link}"`),
    });
    expect(mail?.headers.get("from")).toBe(from);
    expect(mail?.headers.get("subject")).toBe("Choose a new password for AI Trading Signals");
    expect(mail?.headers.get("auto-submitted")).toBe("auto-generated");
    expect(mail?.headers.has("list-unsubscribe")).toBe(false);
  });

  it("sends an id that attempts share, and how to unsubscribe with one click", async () => {
    const unsubscribeUrl = `https://api.example.com/unsubscribe?token=${"x".repeat(200)}`;
    const mail = { ...mailOf(), messageId: "<1@api.example.com>", unsubscribeUrl };
    await mailer().send(mail);
    await mailer().send(mail);
    for (const { headers } of smtp.mails) {
      expect(headers.get("message-id")).toBe("<1@api.example.com>");
      expect(headers.get("list-unsubscribe")).toBe(`<${unsubscribeUrl}>`);
      expect(headers.get("list-unsubscribe-post")).toBe("List-Unsubscribe=One-Click");
    }
  });

  it("logs in where the address names a user", async () => {
    const guarded = await startFakeSmtp({ login: { user: "mailer", pass: "pass-word" } });
    onTestFinished(() => guarded.close());
    await createSmtpMailer({ smtpUrl: guarded.url, from }).send(mailOf());
    expect(guarded.mails).toHaveLength(1);
    const wrong = guarded.url.replace("pass-word", "other");
    expect(await createSmtpMailer({ smtpUrl: guarded.url, from }).check()).toBe("done");
    expect(await createSmtpMailer({ smtpUrl: wrong, from }).check()).toBe("unreachable");
    const sending = createSmtpMailer({ smtpUrl: wrong, from }).send(mailOf());
    await expect(sending).rejects.toMatchObject(unavailable);
  });

  it("sends nothing without TLS where that is required", async () => {
    const strict = createSmtpMailer({ smtpUrl: smtp.url, from, requireTls: true });
    await expect(strict.send(mailOf())).rejects.toMatchObject(unavailable);
    expect(smtp.mails).toEqual([]);
  });

  it.each(["refuse-recipient", "refuse-mail"] as const)(
    "fails when the server behaves as %s",
    async (behaviour) => {
      smtp.behave(behaviour);
      const sending = mailer().send(mailOf());
      await expect(sending).rejects.toMatchObject(unavailable);
      expect(smtp.mails).toEqual([]);
    },
  );

  it.each(["stall-greeting", "stall-mail"] as const)(
    "gives up on a server that behaves as %s",
    async (behaviour) => {
      smtp.behave(behaviour);
      const sending = mailer({ silenceTimeoutMs: 200 }).send(mailOf());
      await expect(sending).rejects.toMatchObject(unavailable);
    },
  );

  it("gives up on a server that takes too long in all", async () => {
    smtp.behave("stall-mail");
    const sending = mailer({ sendTimeoutMs: 200 }).send(mailOf());
    await expect(sending).rejects.toMatchObject(unavailable);
  });

  it("fails when no server listens", async () => {
    const smtpUrl = `smtp://127.0.0.1:${await freePort()}`;
    const sending = createSmtpMailer({ smtpUrl, from }).send(mailOf());
    await expect(sending).rejects.toMatchObject(unavailable);
    expect(await createSmtpMailer({ smtpUrl, from }).check()).toBe("unreachable");
  });

  it("sends to one address, whatever that looks like", async () => {
    const to = "ann+a@example.com, eve@example.com";
    await Promise.allSettled([mailer().send(mailOf({ to }))]);
    expect(smtp.mailsTo("eve@example.com")).toEqual([]);
  });
});

describe("createFileMailer", () => {
  let folder: string;
  beforeEach(async () => {
    folder = join(await mkdtemp(join(tmpdir(), "outbox-")), "outbox");
  });
  afterEach(() => rm(join(folder, ".."), { recursive: true }));

  const outbox = () => {
    const lines: string[] = [];
    const destination = { write: (line: string) => void lines.push(line) };
    const logger = createLogger({ service: "test", level: "trace", destination });
    const now = () => new Date("2026-03-01T10:20:30Z");
    return { mailer: createFileMailer({ folder, from, logger, now }), lines };
  };

  it("writes a mail as a file that only its owner can read, and logs its link", async () => {
    const { mailer, lines } = outbox();
    await mailer.send(mailOf());
    const files = await readdir(folder);
    expect(files).toEqual([expect.stringMatching(/^2026-03-01T10-20-30\.000Z-[0-9a-f-]+\.eml$/)]);
    const file = join(folder, files.join());
    expect((await stat(file)).mode & 0o777).toBe(0o600);
    const mail = await readMail(await readFile(file, "utf8"), []);
    expect(mail.link).toBe(invitation.link);
    expect(mail.headers.get("to")).toBe("ann@example.com");
    expect(lines.join()).toContain(invitation.link);
  });

  it("keeps many mails of one moment", async () => {
    const { mailer } = outbox();
    await Promise.all(Array.from({ length: 5 }, () => mailer.send(mailOf())));
    expect(await readdir(folder)).toHaveLength(5);
  });

  it("fails when it cannot write", async () => {
    await writeFile(folder, "a file where the folder should be");
    const { mailer, lines } = outbox();
    await expect(mailer.send(mailOf())).rejects.toMatchObject(unavailable);
    expect(lines).toEqual([]);
  });
});

it("the mails escape what users have typed", () => {
  const text = `<img src=x onerror="alert('1')">&`;
  const link = 'https://app.example.com/?token="><script>';
  const mail = composeEmail(
    { to: "a@example.com", username: text, link },
    { ...wording, request: text, facts: [[text, text]], points: [{ text }, { text, link }] },
  );
  expect(mail.html).not.toMatch(/<img|<script|"alert/);
  const escaped = "&lt;img src=x onerror=&quot;alert(&#39;1&#39;)&quot;&gt;&amp;";
  expect(mail.html.split(escaped)).toHaveLength(7);
  expect(mail.text).toContain("<img src=x");
});
