import { MESSAGES } from "@shared/contract/messages.ts";

export const adminMessages = {
  title: "Admin",
  lead: "Manage users, payment details and uploads.",
  sections: "Sections",
  tryAgain: "Try again",
  loading: "Loading",
  stats: {
    users: "Users",
    pending: "Pending approval",
    withProof: "With payment proof",
    images: "Chart images",
  },
} as const;

export const userMessages = {
  title: "Users",
  loadFailed: "Failed to load users.",
  search: "Search users",
  searchHint: "Name, email or sender",
  filter: "Show",
  filters: { all: "All", pending: "Pending", proof: "With proof" },
  empty: "No users yet.",
  noMatch: "No matching users.",
  showAll: "Show all users",
  shown: (from: number, to: number, count: number) => `${from}–${to} of ${count}`,
  pages: "Pages of users",
  previous: "Previous",
  next: "Next",
  you: "You",
  admin: "Admin",
  approved: "Approved",
  pending: "Pending",
  verified: "Email verified",
  notVerified: "Email not verified",
  registered: "Registered",
  credits: "Image credits",
  imageUpload: "Image upload",
  allowed: "Allowed",
  blocked: "Blocked",
  proofOf: (username: string) => `Payment proof of ${username}`,
  proofFrom: "Proof from",
  duplicateTitle: "Duplicate image",
  duplicate: (username: string) => `Also submitted by ${username}.`,
} as const;

export const actionMessages = {
  approve: "Approve",
  revoke: "Revoke",
  allowImages: "Allow image upload",
  blockImages: "Block image upload",
  grantCredits: "Grant credits",
  clearHistory: "Clear history",
  deleteProof: "Delete proof",
  deleteUser: "Delete user",
  ownAccount: "You can't revoke or delete your own account.",
} as const;

export const confirmMessages = {
  revokeTitle: (user: string) => `Revoke the approval of ${user}?`,
  revoke: (user: string) =>
    `${user} loses access to the signal bot and signal history immediately. Signals, credits and payment proof are kept.`,
  clearHistoryTitle: (user: string) => `Clear the signal history of ${user}?`,
  clearHistory: (user: string) =>
    `All finished signals of ${user} are deleted, with their outcomes and chart images. This cannot be undone.`,
  deleteProofTitle: (user: string) => `Delete the payment proof of ${user}?`,
  deleteProof: (user: string) =>
    `The image and the sender name are deleted, and ${user} is asked for a new proof. This cannot be undone.`,
  deleteUserTitle: (user: string) => `Delete ${user}?`,
  deleteUser: (user: string) =>
    `The account of ${user} is deleted with all signals, credits, chart images and the payment proof, and ${user} is signed out everywhere. This cannot be undone.`,
  clearAllTitle: "Clear the signal history of all users?",
  clearAll:
    "Every finished signal of every user is deleted, with outcomes and chart images. Accounts and credits are kept. This cannot be undone.",
  deleteImageTitle: "Delete this chart image?",
  deleteImage: (user: string) =>
    `The image that ${user} uploaded is deleted. The signal made with it is kept. This cannot be undone.`,
  cleanupTitle: "Clean up chart images?",
  cleanup:
    "Chart images that are older than 30 days or belong to no signal are deleted. This cannot be undone.",
} as const;

/** What is said when an action fails. */
export const failureMessages = {
  approve: (user: string) => `Failed to approve ${user}`,
  revoke: (user: string) => `Failed to revoke ${user}`,
  clearHistory: (user: string) => `Failed to clear signal history for ${user}.`,
  deleteUser: (user: string, reason: string) => `Failed to delete user ${user}. Error: ${reason}`,
  deleteProof: (user: string) => `Failed to delete proof for ${user}.`,
  imageAccess: "Failed to update image upload permission.",
  grantCredits: "Failed to grant upload credits.",
  paymentDetails: "Failed to update payment details.",
  deleteImage: (reason: string) => `Failed to delete image. Error: ${reason}`,
  clearAll: (reason: string) => `Failed to clear all signal history. Error: ${reason}`,
  cleanup: (reason: string) => `Failed to clean up images. Error: ${reason}`,
  unknown: "Unknown error",
} as const;

export const creditMessages = {
  title: (user: string) => `Grant credits to ${user}`,
  label: "Number of credits",
  hint: (balance: number) =>
    `Current balance: ${balance}. Enter a negative number to remove credits.`,
  invalid: MESSAGES.invalidNumber,
  submit: "Grant",
  cancel: "Cancel",
} as const;

export const paymentMessages = {
  title: "Payment settings",
  lead: "Shown on the payment page. Leave a field empty to hide that method.",
  loadFailed: "Failed to load payment details.",
  fields: {
    bank_details_1: "EasyPesa",
    bank_details_2: "JazzCash",
    bank_details_3: "Bank Transfer",
    paypal_details: "PayPal",
    skrill_details: "Skrill",
    wise_details: "Wise",
  },
  notOffered: "Not offered",
  save: "Save payment details",
  saving: "Saving...",
  discard: "Discard changes",
  changedTitle: "Changed by another administrator",
  changed: "These details changed while you were editing. Saving will overwrite them.",
  takeTheirs: "Load the saved details",
} as const;

export const imageMessages = {
  title: "Chart images",
  lead: "Images attached to signal requests. They are kept for 30 days.",
  loadFailed: "Failed to load chart images.",
  empty: "No chart images.",
  emptyLead: "Images attached to signal requests appear here.",
  deleteImage: "Delete image",
  cleanup: "Cleanup Images",
  showMore: "Show more images",
  pictureOf: (user: string) => `Chart image of ${user}`,
} as const;

export const historyMessages = {
  title: "Signal history",
  lead: "Deletes the finished signals of all users. To clear one user's history, use that user's card.",
  clearAll: "Clear all history",
} as const;

export const usageMessages = {
  title: "AI usage",
  lead: "Signals, tokens and cost. Days are in UTC.",
  loadFailed: "Failed to load AI usage.",
  budget: "Budget today",
  spent: (spent: string, budget: string) => `${spent} of ${budget}`,
  budgetLeft: (percent: number) => `${percent}% spent. Resets at 00:00 UTC.`,
  budgetLow: (percent: number) =>
    `${percent}% spent. Scheduled analyses have stopped until 00:00 UTC.`,
  budgetUsedUp: "Used up. Requests that need a new analysis fail until 00:00 UTC.",
  periods: { today: "Today", last_7_days: "Last 7 days", last_30_days: "Last 30 days" },
  signals: "Signals",
  promptTokens: "Tokens in",
  completionTokens: "Tokens out",
  cost: "Cost",
  model: "Model",
  byModel: "By model, last 30 days",
  unknownCost: "Unknown",
  empty: "No signals in the last 30 days.",
  unpriced: (signals: string) =>
    `The cost of ${signals} is unknown. Set OPENAI_PRICE_PROMPT and OPENAI_PRICE_COMPLETION to the model's prices.`,
} as const;

export const healthMessages = {
  title: "System health",
  lead: "Live status of the queue, workers and data providers.",
  loadFailed: "Failed to load system health.",
  openQueue: "Open the queue",
  inNewTab: " (opens in a new tab)",
  openQueueFailed: "Failed to open the queue",
  popupBlocked: "Your browser blocked the new tab. Allow pop-ups for this site and try again.",
  checked: "Checked",
  stale: "Stale. Last updated",
  verdicts: {
    ok: "All systems operational",
    degraded: "Degraded performance",
    down: "Major outage",
  },
  noWorker: "No active workers",
  noWorkerLead: "Signals are not being processed and will time out. Start a worker.",
  feedDown: "The event feed is interrupted",
  feedDownLead: "Live updates from this server are delayed.",
  backlog: "Signals are waiting",
  backlogLead: (duration: string) =>
    `Oldest signal waiting: ${duration}. Add workers or increase concurrency.`,
  providersDown: (names: string) => `Failing: ${names}`,
  providersDownLead: "Signals use another provider as long as one has the candles.",
  waiting: "Waiting",
  running: "Running",
  oldest: "Oldest waiting",
  none: "–",
  workers: "Workers",
  feed: "Event feed",
  feedStates: { running: "Running", interrupted: "Interrupted" },
  capacity: (count: number) => `Concurrency: ${count}`,
  up: (duration: string) => `up for ${duration}`,
  seen: (duration: string) => `seen ${duration} ago`,
  marketData: { live: "Live data", replay: "Demo data" },
  analyst: { openai: "AI analyst", rules: "Rule-based analyst" },
  noProviders: "Uses no live provider.",
  provider: "Provider",
  state: "State",
  lastSuccess: "Last success",
  lastFailure: "Last failure",
  providersOf: (worker: string) => `Providers of ${worker}`,
  states: { ok: "Working", failing: "Failing", resting: "Paused", unused: "No requests yet" },
  failures: {
    unreachable: "Not reachable",
    "unknown-symbol": "Unknown symbol",
    "rate-limited": "Rate limit",
    refused: "Refused",
    nonsense: "Invalid response",
    timeout: "Timeout",
  },
  ago: (duration: string) => `${duration} ago`,
  never: "Never",
  version: "Version",
} as const;

export const auditMessages = {
  title: "Audit trail",
  lead: "Admin actions in the last year, newest first.",
  loadFailed: "Failed to load the audit trail.",
  empty: "No activity yet.",
  loadMore: "Load more",
  loadingMore: "Loading...",
} as const;
