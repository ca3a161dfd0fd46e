import { MIN_ADMIN_PASSWORD_LENGTH } from "@shared/contract/constants.ts";
import type { ApiKeyRecord, UserRecord } from "@shared/database/models/user.ts";
import { readBrand } from "@shared/domain/branding.ts";
import {
  type AccountEmail,
  type Brand,
  composeEmail,
  DEFAULT_BRAND,
} from "@shared/runtime/compose-email.ts";
import type { Mail } from "@shared/runtime/mailer.ts";
import type { Device } from "../../http/sessions.ts";
import type { ServerDeps } from "../../server-deps.ts";

export function verificationEmail(invitation: AccountEmail, brand?: Brand): Mail {
  const { username, link } = invitation;
  const wording = {
    subject: `Verify your email address for ${nameOf(brand)}`,
    request: `The account "${username}" was registered with your email address. If you did this, please verify the address:`,
    button: "Verify email address",
    note: "The link works once, for 24 hours. If you did not register, do not open it. Otherwise, somebody else gets an account with your address.",
    other: { label: "I did not register: delete this account", link: `${link}&decline` },
  };
  return composeEmail(invitation, wording, brand);
}

export function passwordResetEmail(invitation: AccountEmail, brand?: Brand): Mail {
  const wording = {
    subject: `Choose a new password for ${nameOf(brand)}`,
    request: "We received a request to reset your password. You can choose a new one here:",
    button: "Choose a new password",
    note: "The link works once, for one hour. If you did not request it, ignore this email. Your password stays the same.",
  };
  return composeEmail(invitation, wording, brand);
}

const nameOf = ({ name }: Brand = DEFAULT_BRAND): string => name;

/** Reports a change of an account, or a sign-in, to its owner. */
function securityNoticeEmail(
  account: AccountEmail,
  { subject, event }: { subject: string; event: string },
  brand: Brand,
): Mail {
  const wording = {
    subject: `${subject} for ${brand.name}`,
    request: event,
    button: "Review your account",
    note: "If this was you, you can ignore this email. If not, end the other sessions and change your password.",
  };
  return composeEmail(account, wording, brand);
}

const EVENTS = {
  "password-changed":
    "Your password was changed. Other sessions and all API keys have ended. Messages to channels other than email are turned off; you can turn each on again.",
  "account-claimed":
    "Your password was changed. Your address had not been verified before, so somebody else may have set up the account: its sessions and API keys have ended, and its second factor and all of its channels were removed.",
  "wrong-passwords":
    "Somebody who is signed in to your account has entered ten wrong passwords within an hour. If it was not you, reset your password on the login page: this ends all sessions.",
  "two-factor-on": "Two-factor authentication was turned on.",
  "two-factor-off": "Two-factor authentication was turned off.",
  "made-admin": `You are now an administrator. If your password has fewer than ${MIN_ADMIN_PASSWORD_LENGTH} characters, change it.`,
  "made-user": "You are no longer an administrator.",
} as const;

/** Emails the owner of an account that its protection or its role was changed, in the background. */
export function notifyOwner(
  deps: ServerDeps,
  user: Pick<UserRecord, "email" | "username">,
  event: keyof typeof EVENTS,
): void {
  sendNotice(deps, user, { subject: "Your account was changed", event: EVENTS[event] });
}

/** Emails the owner of an account that somebody who is signed in has added a channel. */
export function notifyOfNewChannel(
  deps: ServerDeps,
  user: Pick<UserRecord, "email" | "username">,
  notice: string,
): void {
  sendNotice(deps, user, { subject: "New channel", event: `A channel was added. ${notice}` });
}

/** Emails the owner of an account that somebody who is signed in has created an API key. */
export function notifyOfNewKey(
  deps: ServerDeps,
  user: Pick<UserRecord, "email" | "username">,
  { name, prefix }: Pick<ApiKeyRecord, "name" | "prefix">,
): void {
  const event = `An API key was created: "${name}" (${prefix}…). Programs can use your account with it. A change of your password ends all keys.`;
  sendNotice(deps, user, { subject: "New API key", event });
}

/** Emails the owner of an account about a sign-in from a browser and network that the account has not been used with. */
export function notifyOfNewDevice(
  deps: ServerDeps,
  user: Pick<UserRecord, "email" | "username" | "sessions">,
  { origin, network: ownNetwork }: Device,
): void {
  const isKnown = user.sessions.some(
    ({ userAgent, network }) => userAgent === origin.device && network === ownNetwork,
  );
  if (isKnown) return;
  const browser = origin.device || "an unknown browser";
  const event = `Your account was signed in to from a new device: ${browser}.`;
  sendNotice(deps, user, { subject: "New sign-in", event });
}

function sendNotice(
  { background, database, mailer, settings }: ServerDeps,
  { email, username }: Pick<UserRecord, "email" | "username">,
  notice: { subject: string; event: string },
): void {
  const [webUrl = settings.VITE_API_URL] = settings.CLIENT_ORIGIN;
  const link = new URL("/user-panel", webUrl).href;
  background.run("sending a security notice", async () => {
    const brand = await readBrand(database);
    await mailer.send(securityNoticeEmail({ to: email, username, link }, notice, brand));
  });
}
