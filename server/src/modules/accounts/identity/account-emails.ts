import { html } from "@shared/runtime/html.ts";
import type { Mail } from "./mailer.ts";

export interface AccountEmail {
  to: string;
  username: string;
  link: string;
}

interface Wording {
  subject: string;
  request: string;
  button: string;
  note: string;
  /** A second link, after the note. */
  other?: { label: string; link: string };
}

export function verificationEmail(invitation: AccountEmail): Mail {
  const { username, link } = invitation;
  return compose(invitation, {
    subject: "Verify your email address",
    request: `the account "${username}" was registered with your email address. If you did this, please verify the address:`,
    button: "Verify email address",
    note: "The link works once, for 24 hours. If you did not register, do not open it. Otherwise, somebody else gets an account with your address.",
    other: { label: "I did not register: delete this account", link: `${link}&decline` },
  });
}

export function passwordResetEmail(invitation: AccountEmail): Mail {
  return compose(invitation, {
    subject: "Choose a new password",
    request: "we received a request to reset your password. You can choose a new one here:",
    button: "Choose a new password",
    note: "The link works once, for one hour. If you did not request it, ignore this email. Your password stays the same.",
  });
}

/** Reports a change of an account, or a sign-in, to its owner. */
export function securityNoticeEmail(
  account: AccountEmail,
  { subject, event }: { subject: string; event: string },
): Mail {
  return compose(account, {
    subject,
    request: event,
    button: "Review your account",
    note: "If this was you, you can ignore this email. If not, end the other sessions and change your password.",
  });
}

function compose(invitation: AccountEmail, wording: Wording): Mail {
  const { to, link } = invitation;
  return {
    to,
    link,
    subject: `${wording.subject} for AI Trading Signals`,
    text: asText(invitation, wording),
    html: asHtml(invitation, wording),
  };
}

function asText({ username, link }: AccountEmail, { request, note, other }: Wording): string {
  const paragraphs = [`Hello ${username},`, request, link, note];
  if (other) paragraphs.push(`${other.label}:\n${other.link}`);
  return `${[...paragraphs, "AI Trading Signals"].join("\n\n")}\n`;
}

/** Styles are inline because email clients drop style sheets. */
function asHtml(account: AccountEmail, { request, button, note, other }: Wording): string {
  const { username, link } = account;
  return html`<!doctype html>
<html lang="en">
<body style="margin:0;padding:24px;background:#f4f5f7;color:#1c2330;font-family:Arial,sans-serif;font-size:16px;line-height:1.5">
<div style="max-width:480px;margin:0 auto;padding:32px;background:#ffffff;border-radius:8px">
<p>Hello ${username},</p>
<p>${request}</p>
<p><a href="${link}" style="display:inline-block;padding:12px 20px;background:#1a56db;color:#ffffff;border-radius:6px;text-decoration:none">${button}</a></p>
<p style="font-size:14px;color:#4b5563">${note}</p>
${other ? html`<p style="font-size:14px"><a href="${other.link}" style="color:#1a56db">${other.label}</a></p>` : ""}
<p style="font-size:14px;color:#4b5563;overflow-wrap:anywhere">If the button does not work, open this link:<br>${link}</p>
<p style="font-size:14px;color:#4b5563">AI Trading Signals</p>
</div>
</body>
</html>
`.text;
}
