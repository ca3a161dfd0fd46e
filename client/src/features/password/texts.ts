export const forgotTexts = {
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

export const resetTexts = {
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
