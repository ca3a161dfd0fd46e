import type { SessionEnd } from "../../lib/session.ts";

export const authMessages = {
  login: {
    title: "Login",
    lead: "Welcome back.",
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
  registered: "Please verify your email and wait for admin approval.",
  registeredNext: "Redirecting to your dashboard…",
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
  lead: "Enter your email address and we'll send you a link to reset your password.",
  description: "Reset the password of your AI Trading Bot account.",
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
  lead: "Choose a new password. You will be signed out on all devices.",
  description: "Set a new password for your AI Trading Bot account.",
  submit: "Set new password",
  busy: "Saving...",
  failed: "We couldn't change your password. Please try again.",
  doneTitle: "Password changed",
  done: "You have been signed out on all devices. Log in with your new password.",
  toLogin: "Login",
  expiredTitle: "This link does not work",
  expired: "This link has expired or was already used. Links are valid for one hour.",
  incompleteTitle: "This link is incomplete",
  incomplete: "Open the link in the email again, or copy the whole link into the address bar.",
  newLink: "Request a new link",
} as const;
