import { html } from "@shared/runtime/html.ts";
import type { Mail } from "./mailer.ts";

/** Whom a mail is for, and the address that it asks him to open. */
export interface AccountEmail {
  to: string;
  username: string;
  link: string;
}

interface Wording {
  subject: string;
  /** What to do, and why. */
  request: string;
  button: string;
  /** How long the link works, and what to do if the mail is not expected. */
  note: string;
}

/** Asks the owner of a new account to confirm his address. */
export function verificationEmail(invitation: AccountEmail): Mail {
  return compose(invitation, {
    subject: "Confirm your e-mail address",
    request: "please confirm that this is your e-mail address:",
    button: "Confirm e-mail address",
    note: "The link works once, for 24 hours. If you have not registered with us, ignore this mail.",
  });
}

/** Lets somebody choose a new password who has forgotten his. */
export function passwordResetEmail(invitation: AccountEmail): Mail {
  return compose(invitation, {
    subject: "Choose a new password",
    request: "somebody, probably you, asked for a new password. You can choose one here:",
    button: "Choose a new password",
    note: "The link works once, for one hour. If you did not ask for it, ignore this mail: your password stays as it is.",
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

function asText({ username, link }: AccountEmail, { request, note }: Wording): string {
  return `Hello ${username},\n\n${request}\n\n${link}\n\n${note}\n\nAI Trading Signals\n`;
}

/** Styles stand at the elements: mail programs drop style sheets. */
function asHtml({ username, link }: AccountEmail, { request, button, note }: Wording): string {
  return html`<!doctype html>
<html lang="en">
<body style="margin:0;padding:24px;background:#f4f5f7;color:#1c2330;font-family:Arial,sans-serif;font-size:16px;line-height:1.5">
<div style="max-width:480px;margin:0 auto;padding:32px;background:#ffffff;border-radius:8px">
<p>Hello ${username},</p>
<p>${request}</p>
<p><a href="${link}" style="display:inline-block;padding:12px 20px;background:#1a56db;color:#ffffff;border-radius:6px;text-decoration:none">${button}</a></p>
<p style="font-size:14px;color:#4b5563">${note}</p>
<p style="font-size:14px;color:#4b5563;overflow-wrap:anywhere">If the button does not work, open this address:<br>${link}</p>
<p style="font-size:14px;color:#4b5563">AI Trading Signals</p>
</div>
</body>
</html>
`.text;
}
