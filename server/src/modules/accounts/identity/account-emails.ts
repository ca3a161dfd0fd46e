import { type AccountEmail, composeEmail } from "@shared/runtime/compose-email.ts";
import type { Mail } from "@shared/runtime/mailer.ts";

export function verificationEmail(invitation: AccountEmail): Mail {
  const { username, link } = invitation;
  return composeEmail(invitation, {
    subject: "Verify your email address for AI Trading Signals",
    request: `the account "${username}" was registered with your email address. If you did this, please verify the address:`,
    button: "Verify email address",
    note: "The link works once, for 24 hours. If you did not register, do not open it. Otherwise, somebody else gets an account with your address.",
    other: { label: "I did not register: delete this account", link: `${link}&decline` },
  });
}

export function passwordResetEmail(invitation: AccountEmail): Mail {
  return composeEmail(invitation, {
    subject: "Choose a new password for AI Trading Signals",
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
  return composeEmail(account, {
    subject: `${subject} for AI Trading Signals`,
    request: event,
    button: "Review your account",
    note: "If this was you, you can ignore this email. If not, end the other sessions and change your password.",
  });
}
