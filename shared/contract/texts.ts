/** Sentences that the specification words exactly and that more than one part needs. */
export const TEXTS = {
  failedSignal: "AI or data fetch failed",
  noCredits: "You don't have any image analysis credits. Please recharge your account to continue.",
  requestTimeout: "Server took too long to respond. Please try again.",
  demoDataPrefix: "Demo data:",
  ruleBasedPrefix: "Rule-based analysis:",
} as const;
