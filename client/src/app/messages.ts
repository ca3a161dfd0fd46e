export const appMessages = {
  offline: "Offline, reconnecting…",
} as const;

export const liveToastMessages = {
  approvedTitle: "Account approved",
  approved: "You can now use the signal bot and your signal history.",
  revokedTitle: "Approval revoked",
  revoked: "You no longer have access to the signal bot and signal history.",
  failedTitle: "Signal failed",
  view: "View",
} as const;
