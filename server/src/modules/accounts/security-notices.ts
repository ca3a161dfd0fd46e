import { MIN_ADMIN_PASSWORD_LENGTH } from "@shared/contract/constants.ts";
import type { UserRecord } from "@shared/database/models/user.ts";
import type { Device } from "../../http/sessions.ts";
import type { ServerDeps } from "../../server-deps.ts";
import { securityNoticeEmail } from "./identity/account-emails.ts";

type NoticeDeps = Pick<ServerDeps, "background" | "mailer" | "settings">;

const EVENTS = {
  "password-changed": "Your password was changed.",
  "two-factor-on": "Two-factor authentication was turned on.",
  "two-factor-off": "Two-factor authentication was turned off.",
  "made-admin": `You are now an administrator. If your password has fewer than ${MIN_ADMIN_PASSWORD_LENGTH} characters, change it.`,
  "made-user": "You are no longer an administrator.",
} as const;

/** Emails the owner of an account that its protection or its role was changed, in the background. */
export function notifyOwner(
  deps: NoticeDeps,
  user: Pick<UserRecord, "email" | "username">,
  event: keyof typeof EVENTS,
): void {
  sendNotice(deps, user, { subject: "Your account was changed", event: EVENTS[event] });
}

/** Emails the owner of an account about a sign-in from a browser and network that the account has not been used with. */
export function notifyOfNewDevice(
  deps: NoticeDeps,
  user: Pick<UserRecord, "email" | "username" | "sessions">,
  device: Device,
): void {
  const isKnown = user.sessions.some(
    ({ userAgent, network }) => userAgent === device.userAgent && network === device.network,
  );
  if (isKnown) return;
  const browser = device.userAgent || "an unknown browser";
  const event = `Your account was signed in to from a new device: ${browser}.`;
  sendNotice(deps, user, { subject: "New sign-in", event });
}

function sendNotice(
  { background, mailer, settings }: NoticeDeps,
  { email, username }: Pick<UserRecord, "email" | "username">,
  notice: { subject: string; event: string },
): void {
  const [webUrl = settings.VITE_API_URL] = settings.CLIENT_ORIGIN;
  const link = new URL("/user-panel", webUrl).href;
  background.run("sending a security notice", () =>
    mailer.send(securityNoticeEmail({ to: email, username, link }, notice)),
  );
}
