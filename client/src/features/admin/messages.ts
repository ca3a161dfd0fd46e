import { MESSAGES } from "@shared/contract/messages.ts";

export const adminMessages = {
  title: "Admin",
  lead: "Approve traders, keep payment details current and look after what has been uploaded.",
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
  searchHint: "Name, e-mail or sender",
  filter: "Show",
  filters: { all: "All", pending: "Pending", proof: "With proof" },
  empty: "No users yet.",
  noMatch: "No user matches.",
  showAll: "Show all users",
  shown: (from: number, to: number, count: number) => `${from}–${to} of ${count}`,
  pages: "Pages of users",
  previous: "Previous",
  next: "Next",
  you: "You",
  admin: "Admin",
  approved: "Approved",
  pending: "Pending",
  verified: "E-mail verified",
  notVerified: "E-mail not verified",
  registered: "Registered",
  credits: "Image credits",
  imageUpload: "Image upload",
  allowed: "Allowed",
  blocked: "Blocked",
  proofOf: (username: string) => `Payment proof of ${username}`,
  proofFrom: "Proof from",
  duplicateTitle: "Same picture as another proof",
  duplicate: (username: string) => `${username} has sent this picture too.`,
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
  ownAccount: "Your own account cannot be revoked or deleted.",
} as const;

export const confirmMessages = {
  revokeTitle: (user: string) => `Revoke the approval of ${user}?`,
  revoke: (user: string) =>
    `${user} loses access to the signal bot and the signal history at once. Signals, credits and payment proof are kept.`,
  clearHistoryTitle: (user: string) => `Clear the signal history of ${user}?`,
  clearHistory: (user: string) =>
    `All finished signals of ${user} are deleted, with their outcomes and chart images. This cannot be undone.`,
  deleteProofTitle: (user: string) => `Delete the payment proof of ${user}?`,
  deleteProof: (user: string) =>
    `The picture and the sender name are deleted, and ${user} is asked for a new proof. This cannot be undone.`,
  deleteUserTitle: (user: string) => `Delete ${user}?`,
  deleteUser: (user: string) =>
    `The account of ${user} is deleted with all signals, credits, chart images and the payment proof, and ${user} is signed out everywhere. This cannot be undone.`,
  clearAllTitle: "Clear the signal history of all users?",
  clearAll:
    "Every finished signal of every user is deleted, with outcomes and chart images. Accounts and credits are kept. This cannot be undone.",
  deleteImageTitle: "Delete this chart image?",
  deleteImage: (user: string) =>
    `The picture that ${user} uploaded is deleted. The signal made with it is kept. This cannot be undone.`,
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
    `The balance is ${balance}. A number with a minus sign takes credits away.`,
  invalid: MESSAGES.invalidNumber,
  submit: "Grant",
  cancel: "Cancel",
} as const;

export const paymentMessages = {
  title: "Payment settings",
  lead: "Shown on the payment page as soon as they are saved. A method without text is not offered.",
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
  changed: "The saved details are no longer those that you started from. Saving replaces them.",
  takeTheirs: "Load the saved details",
} as const;

export const imageMessages = {
  title: "Chart images",
  lead: "Pictures that traders attached to their requests. They are kept for 30 days.",
  loadFailed: "Failed to load chart images.",
  empty: "No chart images.",
  emptyLead: "Pictures appear here as soon as a trader attaches one to a request.",
  deleteImage: "Delete image",
  cleanup: "Cleanup Images",
  showMore: "Show more images",
  pictureOf: (user: string) => `Chart image of ${user}`,
} as const;

export const historyMessages = {
  title: "Signal history",
  lead: "Clears the finished signals of every user at once. To clear one user's history, use the card of that user.",
  clearAll: "Clear all history",
} as const;

export const usageMessages = {
  title: "AI usage",
  lead: "Signals that were analysed, the tokens they took and what those cost. Days begin at midnight UTC.",
  loadFailed: "Failed to load the usage.",
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
  unknownCost: "Not known",
  empty: "No signal was analysed in the last 30 days.",
  unpriced: (signals: string) =>
    `The cost of ${signals} is not known: set OPENAI_PRICE_PROMPT and OPENAI_PRICE_COMPLETION to the model's prices.`,
} as const;

export const healthMessages = {
  title: "System health",
  lead: "Queue, workers and data providers, as they are now.",
  loadFailed: "Failed to load the system's health.",
  openQueue: "Open the queue",
  inNewTab: " (opens in a new tab)",
  openQueueFailed: "Failed to open the queue",
  popupBlocked: "Your browser did not allow a new tab. Allow pop-ups for this site and try again.",
  checked: "Checked",
  stale: "No longer current. The last answer is from",
  verdicts: {
    ok: "All systems working",
    degraded: "Working, with difficulties",
    down: "Signals are not being made",
  },
  noWorker: "No worker is alive",
  noWorkerLead:
    "Nothing takes signals from the queue. They wait, and fail for their users when their time runs out. Start a worker.",
  feedDown: "The event feed is interrupted",
  feedDownLead: "Browsers on this server hear of changes late, until it is back.",
  backlog: "Signals are waiting",
  backlogLead: (duration: string) =>
    `The oldest has waited for ${duration}. More workers would help, or more concurrency.`,
  providersDown: (names: string) => `In trouble: ${names}`,
  providersDownLead: "Signals are made from other providers as long as one has the candles.",
  waiting: "Waiting",
  running: "In work",
  oldest: "Oldest waits",
  none: "–",
  workers: "Workers",
  feed: "Event feed",
  feedStates: { running: "Running", interrupted: "Interrupted" },
  capacity: (count: number) => `${count} at once`,
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
  states: { ok: "Working", failing: "Failing", resting: "Resting", unused: "Not asked yet" },
  failures: {
    unreachable: "Not reachable",
    "unknown-symbol": "Unknown symbol",
    "rate-limited": "Rate limit",
    refused: "Refused",
    nonsense: "Unusable answer",
    timeout: "Too slow",
  },
  ago: (duration: string) => `${duration} ago`,
  never: "Never",
  version: "Version",
} as const;

export const auditMessages = {
  title: "Audit trail",
  lead: "What administrators have done in the last year, newest first.",
  loadFailed: "Failed to load the audit trail.",
  empty: "Nothing has been done yet.",
  loadMore: "Load more",
  loadingMore: "Loading...",
} as const;
