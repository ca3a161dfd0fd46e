import { formatDateTime } from "../../lib/format.ts";

const count = new Intl.NumberFormat("en-US").format;
const plural = (n: number, one: string, many = `${one}s`): string =>
  `${count(n)} ${n === 1 ? one : many}`;

export const ledgerMessages = {
  title: "Ledger",
  lead: "Every market analysis is sealed here before anyone can know how its trade ends, wins and losses alike. Nothing can be changed or removed afterwards without your noticing it.",
  description:
    "The tamper-evident record of every AI Trading Bot analysis and its outcome. Download it and verify it yourself.",
  loading: "Loading the ledger",
  failed: "The ledger could not be loaded.",
  tryAgain: "Try again",
} as const;

export const headMessages = {
  title: "Newest record",
  records: (seq: number) => plural(seq, "record"),
  recordedAt: (iso: string) => `Last grown ${formatDateTime(iso)}`,
  fingerprint: "Fingerprint of the whole ledger",
  why: "It stands for everything recorded so far. Keep it: with it you can show later that nothing before it has changed.",
  copy: "fingerprint",
} as const;

export const verifyMessages = {
  title: "Verify it yourself",
  lead: "Your browser downloads the ledger and recomputes every fingerprint. It does not take our word for anything.",
  start: "Verify in this browser",
  again: "Verify again",
  working: "Verifying…",
  progress: "Verified so far",
  done: (lines: number, of: number) => `${count(Math.min(lines, of))} of ${plural(of, "record")}`,
  intactTitle: (seq: number) => `Intact: ${plural(seq, "record")}`,
  intact: "Every record is as it was written, and in its place.",
  keptSince: (seq: number) =>
    `It continues the ledger of ${plural(seq, "record")} that this browser saw before.`,
  brokenTitle: (seq: number) => `Not intact: record ${count(seq)}`,
  broken: (detail: string, line: number | null) =>
    line === null ? `${detail}.` : `Line ${count(line)}: ${detail}.`,
  interrupted: "The ledger could not be downloaded to its end. Please try again.",
  download: "Download ledger",
  tool: "Save the offline verifier",
  toolHint:
    "One small page that runs without us and without a network: open it from your disk and give it the downloaded file.",
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
  lead: "Bring candles of your own source. Your browser resolves every recorded trade that they cover, by its own levels and the published rules, and names each outcome that comes out differently.",
  files: "Candle files",
  choose: "Choose candle files",
  working: "Resolving…",
  format:
    "CSV files named like BTC-USDT.1h.csv, with the columns time (Unix ms), open, high, low, close, volume. Add files of shorter timeframes, such as BTC-USDT.1m.csv, for trades that need them. The files stay in your browser.",
  interrupted: "The ledger could not be downloaded to its end. Please try again.",
  unreadable: (fileName: string) =>
    `${fileName} cannot be used. It needs a name like BTC-USDT.1h.csv, and candles in the columns below the button.`,
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
  empty: "Nothing has been recorded yet.",
  emptyLead: "The first finished analysis opens the ledger.",
  older: "Show older records",
  sealed: "Sealed until resolved",
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
  lead: "Each day, the fingerprint of the ledger goes to witnesses outside this service. If the ledger is rewritten later, it no longer matches what they have.",
  none: "No witness has a fingerprint of this ledger, so only the copies that readers keep can show that it was rewritten.",
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
      "The fingerprint existed when the Bitcoin block was mined, and nobody can backdate it. While the ledger contains it, nothing before it has changed.",
    provesNot:
      "That the signals are correct, or that no other ledger was stamped as well. A proof that waits for Bitcoin depends on its calendar.",
  },
  git: {
    title: "Git repository",
    proves:
      "The repository had the fingerprint when its host received the push. Whoever has a copy of the repository notices a changed line.",
    provesNot:
      "The date of a commit, which its author sets. Whoever controls the repository can replace its history, but not the copies of others.",
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
    question: "Sealed before the outcome",
    answer:
      "The moment an analysis is finished we publish a fingerprint of its figures: symbol, entry, stop, target, confidence. A fingerprint gives nothing away, and fits only those figures. Subscribers trade on them first; everyone sees them once the market has resolved the trade.",
  },
  {
    question: "Each record holds the one before",
    answer:
      "Every record contains the fingerprint of its predecessor. Change one figure, remove one loss, or swap two records, and every fingerprint after it stops matching.",
  },
  {
    question: "One record for each market",
    answer:
      "An analysis belongs to its market and candle, not to a trader. However many traders get it, it is recorded once and counts once. The ledger contains nothing about traders: clearing a history or deleting an account changes nothing in it.",
  },
  {
    question: "What a chain cannot show by itself",
    answer:
      "That the whole ledger was not rewritten, or its end cut off. Kept fingerprints show that: those of the witnesses, and the one that your browser verified last.",
  },
] as const;
