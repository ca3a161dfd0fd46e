import { MESSAGES } from "@shared/contract/messages.ts";

export const accountMessages = {
  title: "User Panel",
  lead: "Manage your password, email and notifications.",
} as const;

export const passwordMessages = {
  title: "Change password",
  current: "Current password",
  submit: "Change password",
  busy: "Changing...",
  sessions: "Changing your password signs you out on all other devices and browsers.",
  doneTitle: "Password changed",
  done: "You have been signed out on all other devices and browsers.",
  failed: MESSAGES.wrongPassword,
} as const;

export const notificationMessages = {
  title: "Notifications",
  lead: "Get a browser notification when a signal is ready. Applies to this browser.",
  adminLead:
    "Get a browser notification for finished signals, new registrations and payment proofs. Applies to this browser.",
  allow: "Allow notifications",
  show: "Show notifications",
  sound: "Sound",
  soundHint: "Play a sound with each notification.",
  deniedTitle: "Blocked in this browser",
  denied: "Notifications are blocked. Allow them in your browser's site settings.",
  unsupported: "This browser doesn't support notifications on this page.",
} as const;

export const emailMessages = {
  title: "Email address",
  loading: "Loading your account",
  verified: "Verified",
  notVerified: "Not verified yet",
  verifiedLead: "Password reset links are sent to this address.",
  notVerifiedLead:
    "Open the link in the email we sent when you registered. It expires after 24 hours; you can request a new one.",
  resend: "Send a new link",
  resending: "Sending...",
  resendFailed: "We couldn't send the email. Please try again.",
} as const;

export const verifyMessages = {
  description: "Verify the email address of your AI Trading Bot account.",
  title: "Verify your email",
  busy: "Verifying your email...",
  doneTitle: "Email verified",
  done: "Thank you. Your email address is verified.",
  toDashboard: "Go to the dashboard",
  toLogin: "Login",
  uselessTitle: "This link does not work",
  expired: "This link has expired or was already used.",
  incomplete: "The link is incomplete. Open it from the email again, or copy the whole link.",
  loginFirst: "Log in to request a new link. If your email is already verified, you're all set.",
  loginForLink: "Log in for a new link",
  failedTitle: "Your email is not verified yet",
  failed: "We couldn't verify your email. Please try again.",
  tryAgain: "Try again",
} as const;
