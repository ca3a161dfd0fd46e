import { MAX_REFUSAL_REFUNDS } from "./constants.ts";

/** Sentences that the specification prescribes and several services use. */
export const MESSAGES = {
  failedSignal: "AI or data fetch failed",
  budgetUsedUp: "The daily analysis budget is used up.",
  refusalCharged: `The image credit was not refunded: chart images without a usable answer are refunded at most ${MAX_REFUSAL_REFUNDS} times a day.`,
  noCredits: "You don't have any image analysis credits. Please recharge your account to continue.",
  invalidNumber: "Invalid number.",
  proofIncomplete: "Please provide both sender name and a file.",
  proofSubmitted: "Proof submitted successfully! Please wait for review.",
  wrongPassword: "Failed to change password. Please check your current password.",
  requestTimeout: "Server took too long to respond. Please try again.",
  demoDataPrefix: "Demo data:",
  ruleBasedPrefix: "Rule-based analysis:",
  missedEntryPrefix: "The entry is missed:",
  demoRecord: "Demo record, from recorded candles",
} as const;

/** Response to a password reset request, whether or not the address is known. */
export const resetLinkSentMessage = (email: string): string =>
  `If an account with ${email} exists, a password reset link has been sent. Please check your inbox and spam folder.`;
