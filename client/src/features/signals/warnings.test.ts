import { MESSAGES } from "@shared/contract/constants.ts";
import { expect, test } from "vitest";
import { groupWarnings } from "./warnings.ts";

const demo = "Demo data: recorded candles.";
const rules = "Rule-based analysis: fixed rules.";
const cut = "Position cut to what $100.00 can carry at leverage 1.";
const cites = "The rationale cites 12, which is not in the market data.";
const missed = `${MESSAGES.missedEntryPrefix} the price was 100 at 12:00 UTC.`;

test.each([
  [[], {}],
  [[demo, cut, rules, cites], { disclosures: [demo, rules], warnings: [cut], notes: [cites] }],
  [[`${demo} ${missed}`], { disclosures: [demo], warnings: [missed] }],
  [[missed], { warnings: [missed] }],
])("%j are grouped by importance", (all, groups) => {
  expect(groupWarnings(all)).toEqual({ disclosures: [], warnings: [], notes: [], ...groups });
});
