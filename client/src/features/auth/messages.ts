import type { SessionEnd } from "../../lib/session.ts";

export const authMessages = {
  login: {
    title: "Login",
    lead: "Welcome back. Your signals are waiting.",
    submit: "Login",
    switchQuestion: "New here?",
    switchLink: "Register",
  },
  register: {
    title: "Register",
    lead: "Create your account. An administrator approves it before you can use the bot.",
    submit: "Register",
    switchQuestion: "Already have an account?",
    switchLink: "Login",
  },
  username: "Username",
  email: "Email",
  password: "Password",
  usernameHint: "3 to 32 letters, digits, dots, dashes or underscores.",
  passwordHint: "At least 6 characters.",
  forgotPassword: "Forgot Password",
  busy: "Processing...",
  checkFields: "Please check the marked fields.",
  unexpected: "An unexpected error occurred.",
  registeredTitle: "Registration successful!",
  registered: "Please verify your e-mail and wait for admin approval.",
  registeredNext: "You will be taken to your dashboard in a moment.",
  toDashboard: "Go to the dashboard now",
} as const;

/** What somebody is told on the login page about the session that ended. */
export const sessionEndMessages: Record<Exclude<SessionEnd, "logout" | "other-tab">, string> = {
  expired: "Your session has ended. Please log in again.",
  deleted: "This account has been deleted.",
  "password-changed": "Your password was changed. Please log in with the new one.",
};

export const forgotMessages = {
  title: "Forgot password",
  lead: "Enter the e-mail address of your account. We send you a link that sets a new password.",
  description: "Ask for a link that sets a new password for your AI Trading Bot account.",
  email: "Email",
  submit: "Send reset link",
  busy: "Sending...",
  failed: (message: string) => `Error: ${message}`,
  unexpected: "An unexpected error occurred.",
  again: "Use another address",
  toLogin: "Back to login",
} as const;

export const resetMessages = {
  title: "Set a new password",
  lead: "Choose a new password for your account. Every device that is signed in will be signed out.",
  description: "Set a new password for your AI Trading Bot account.",
  submit: "Set new password",
  busy: "Saving...",
  failed: "The password could not be changed. Please try again.",
  doneTitle: "Password changed",
  done: "Your new password is set, and every session of your account has been ended. Log in with the new password.",
  toLogin: "Login",
  expiredTitle: "This link does not work",
  expired:
    "It has been used already, or it is older than an hour. Ask for a new one and use it soon.",
  incompleteTitle: "This link is incomplete",
  incomplete: "Open the link in the e-mail again, or copy all of it into the address bar.",
  newLink: "Ask for a new link",
} as const;
