import { formatDateTime } from "../../lib/format.ts";

const count = new Intl.NumberFormat("en-US").format;
const plural = (n: number, one: string, many = `${one}s`): string =>
  `${count(n)} ${n === 1 ? one : many}`;

export const ledgerMessages = {
  title: "Ledger",
  lead: "Every market analysis is committed to a hash chain before its outcome is known, wins and losses alike. Any later change or removal can be detected.",
  description:
    "The tamper-evident record of every AI Trading Bot analysis and its outcome. Download it and verify it yourself.",
  loading: "Loading the ledger",
  failed: "The ledger could not be loaded.",
  tryAgain: "Try again",
} as const;

export const headMessages = {
  title: "Newest record",
  records: (seq: number) => plural(seq, "record"),
  recordedAt: (iso: string) => `Last updated ${formatDateTime(iso)}`,
  fingerprint: "Fingerprint of the whole ledger",
  why: "It covers everything recorded so far. Keep a copy to show later that nothing before it has changed.",
  copy: "fingerprint",
} as const;

export const verifyMessages = {
  title: "Verify it yourself",
  lead: "Your browser downloads the ledger and recomputes every fingerprint.",
  start: "Verify in this browser",
  again: "Verify again",
  working: "Verifying…",
  progress: "Verified so far",
  done: (lines: number, of: number) => `${count(Math.min(lines, of))} of ${plural(of, "record")}`,
  intactTitle: (seq: number) => `Intact: ${plural(seq, "record")}`,
  intact: "Every record is unchanged and in order.",
  keptSince: (seq: number) =>
    `It extends the ${plural(seq, "record")} that this browser verified before.`,
  brokenTitle: (seq: number) => `Not intact: record ${count(seq)}`,
  broken: (detail: string, line: number | null) =>
    line === null ? `${detail}.` : `Line ${count(line)}: ${detail}.`,
  interrupted: "The download was interrupted. Please try again.",
  download: "Download ledger",
  tool: "Save the offline verifier",
  toolHint:
    "A single page that works offline. Open it from your disk and choose the downloaded file.",
  analyses: "Analyses recorded",
  demo: (n: number) => `${count(n)} on demo data`,
  outcomes: "Resolved",
  split: (win: number, loss: number, expired: number) =>
    `${count(win)} won, ${count(loss)} lost, ${count(expired)} expired`,
  late: "Recorded late",
  lateHint: "by more than a minute",
} as const;

export const recheckMessages = {
  title: "Resolve the outcomes again",
  lead: "Use candles from your own source. Your browser resolves every recorded trade that they cover by its levels and the published rules, and lists every outcome that differs.",
  files: "Candle files",
  choose: "Choose candle files",
  working: "Resolving…",
  format:
    "CSV files named like BTC-USDT.1h.csv, with the columns time (Unix ms), open, high, low, close, volume. Add files of shorter timeframes, such as BTC-USDT.1m.csv, for trades that need them. The files stay in your browser.",
  interrupted: "The download was interrupted. Please try again.",
  unreadable: (fileName: string) =>
    `${fileName} can't be used. Name it like BTC-USDT.1h.csv, and use the columns listed above.`,
  notIntact: "The ledger is not intact. Verify it first to see which record is wrong.",
  nothingChecked: "These candles cover none of the resolved trades.",
  result: (agreeing: number, differing: number) =>
    differing === 0
      ? `${plural(agreeing, "outcome")} checked, no difference`
      : `${count(differing)} of ${count(agreeing + differing)} checked outcomes differ`,
  unchecked: ({
    withoutCandles,
    withoutParts,
  }: Record<"withoutCandles" | "withoutParts", number>) =>
    `Not checked: ${count(withoutCandles)} without candles, ${count(withoutParts)} that need candles of a shorter timeframe.`,
  record: (seq: number, { symbol, timeframe }: { symbol: string; timeframe: string }) =>
    `Record ${count(seq)}: ${symbol} ${timeframe}`,
  field: ({ name, recorded, resolved }: Record<"name" | "recorded" | "resolved", string>) =>
    `${name}: recorded ${recorded}, resolved again ${resolved}`,
} as const;

export const recordMessages = {
  title: "Newest records",
  empty: "No records yet.",
  emptyLead: "Records appear here when the first analysis finishes.",
  older: "Show older records",
  sealed: "Hidden until resolved",
  signal: "Signal",
  outcomeOf: (seq: number) => `of record ${count(seq)}`,
  demo: "Demo data",
  r: (multiple: number) =>
    `${multiple > 0 ? "+" : ""}${multiple.toFixed(2).replace("-", "\u2212")} R`,
  entry: "Entry",
  stop: "Stop",
  target: "Target",
} as const;

export const witnessMessages = {
  title: "Witnesses",
  lead: "Each day, the fingerprint of the ledger is sent to witnesses outside this service. If the ledger is rewritten later, it no longer matches their copies.",
  none: "No witness has a fingerprint of this ledger, so only copies kept by others can show that it was rewritten.",
  proves: "Proves",
  provesNot: "Does not prove",
  heads: "Daily fingerprints",
  earlier: "Show earlier days",
  fingerprint: "fingerprint",
  unwitnessed: "No witness",
  bitcoin: (block: number) => `Bitcoin block ${count(block)}`,
  pending: "Waiting for Bitcoin",
  commit: (id: string) => `Commit ${id.slice(0, 7)}`,
  delivered: "Delivered",
  compare:
    "Enter it in the offline verifier to check that the ledger of today still contains this record.",
  repository: "Open the repository",
  download: "Download proof",
  command: "command",
  verifyTitle: "Verify the proof",
  install: "pip install opentimestamps-client",
  verify: (hash: string, file: string) => `ots verify -d ${hash} ${file}`,
  needsNode: "This needs a Bitcoin node. Without one, write",
  withoutNode: "ots --no-bitcoin verify",
  compareRoot: "instead, and compare the Merkle root that it prints with any block explorer.",
  pendingHint:
    "A calendar has the fingerprint. Bitcoin usually follows within a day; until then the proof depends on the calendar.",
} as const;

/** What each kind of witness shows, and what not. */
export const witnessGuide = {
  opentimestamps: {
    title: "OpenTimestamps",
    proves:
      "The fingerprint existed when the Bitcoin block was mined, and cannot be backdated. While the ledger contains it, nothing before it has changed.",
    provesNot:
      "That the signals are correct, or that no other ledger was stamped as well. A proof that waits for Bitcoin depends on its calendar.",
  },
  git: {
    title: "Git repository",
    proves:
      "The repository had the fingerprint when its host received the push. Anyone with a copy of the repository can notice a changed line.",
    provesNot:
      "The date of a commit, which its author sets. Anyone who controls the repository can replace its history, but not other people's copies.",
  },
  webhook: {
    title: "Receiver",
    proves:
      "A service chosen by the operator confirmed that it received the fingerprint. Its copy can be compared with the ledger.",
    provesNot:
      "Anything to someone without access to that service, which the operator may run as well.",
  },
} as const;

/** How the ledger works, for whoever has never met one. */
export const explanations = [
  {
    question: "Committed before the outcome",
    answer:
      "When an analysis finishes, we publish a fingerprint of its values: symbol, entry, stop, target and confidence. The fingerprint reveals nothing and matches only those values. Subscribers see the values first; everyone sees them once the trade is resolved.",
  },
  {
    question: "Each record includes the previous one",
    answer:
      "Every record contains the fingerprint of its predecessor. Change one value, remove one loss or swap two records, and every later fingerprint stops matching.",
  },
  {
    question: "One record for each market",
    answer:
      "An analysis belongs to its market and candle, not to a trader. However many traders get it, it is recorded once and counts once. The ledger contains nothing about traders: clearing a history or deleting an account changes nothing in it.",
  },
  {
    question: "What a chain cannot show by itself",
    answer:
      "It cannot show that the whole ledger was not rewritten or its end cut off. Saved fingerprints can: those of the witnesses, and the last one your browser verified.",
  },
] as const;
