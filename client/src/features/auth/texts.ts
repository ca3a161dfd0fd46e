import type { SessionEnd } from "../../lib/session.ts";

export const authTexts = {
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
export const sessionEndTexts: Record<Exclude<SessionEnd, "logout" | "other-tab">, string> = {
  expired: "Your session has ended. Please log in again.",
  deleted: "This account has been deleted.",
  "password-changed": "Your password was changed. Please log in with the new one.",
};
