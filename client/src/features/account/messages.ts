import { MESSAGES } from "@shared/contract/messages.ts";

export const accountMessages = {
  title: "User Panel",
  lead: "Your sign-in and the address we write to.",
} as const;

export const passwordMessages = {
  title: "Change password",
  current: "Current password",
  submit: "Change password",
  busy: "Changing...",
  sessions:
    "Changing the password signs you out on every other device and in every other browser. You stay signed in here.",
  doneTitle: "Password changed",
  done: "All your other sessions have been ended. You stay signed in here.",
  failed: MESSAGES.wrongPassword,
} as const;

export const notificationMessages = {
  title: "Notifications",
  lead: "Hear of a finished signal while you look at another tab or program. Applies to this browser.",
  adminLead:
    "Hear of finished signals, new registrations and payment proofs while you look at another tab or program. Applies to this browser.",
  allow: "Allow notifications",
  show: "Show notifications",
  sound: "Sound",
  soundHint: "A short chime with each one.",
  deniedTitle: "Blocked in this browser",
  denied:
    "Your browser has been told not to let this page notify you. Its site settings, beside the address, are where to change that.",
  unsupported: "This browser cannot show notifications for this page.",
} as const;

export const emailMessages = {
  title: "E-mail address",
  loading: "Loading your account",
  verified: "Verified",
  notVerified: "Not verified yet",
  verifiedLead: "Links to reset your password go to this address.",
  notVerifiedLead:
    "Open the link in the message we sent you when you registered. It works for 24 hours; after that, have a new one sent.",
  resend: "Send a new link",
  resending: "Sending...",
  resendFailed: "The message could not be sent. Please try again.",
} as const;

export const verifyMessages = {
  description: "Confirm the e-mail address of your AI Trading Bot account.",
  title: "Verify your e-mail",
  busy: "Confirming your address...",
  doneTitle: "E-mail verified",
  done: "Your e-mail address is confirmed. Thank you.",
  toDashboard: "Go to the dashboard",
  toLogin: "Login",
  uselessTitle: "This link does not work",
  expired: "It has been used already, or it is older than 24 hours.",
  incomplete: "It is incomplete. Open the link in the e-mail again, or copy all of it.",
  loginFirst:
    "Log in to have a new link sent to you. If you have confirmed your address before, all is well.",
  loginForLink: "Log in for a new link",
  failedTitle: "Your address is not confirmed yet",
  failed: "The address could not be confirmed. Please try again.",
  tryAgain: "Try again",
} as const;
