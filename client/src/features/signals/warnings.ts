import { MESSAGES } from "@shared/contract/constants.ts";

interface WarningGroups {
  /** That the signal is made from demo data or by fixed rules. */
  disclosures: string[];
  /** What may keep a reader from the trade. */
  warnings: string[];
  /** On the analyst's text. */
  notes: string[];
}

/** The warnings of an analysis by importance. */
export function groupWarnings(all: string[]): WarningGroups {
  const texts = all.flatMap((text) => text.split(BEFORE_MISSED_ENTRY));
  return {
    disclosures: texts.filter(isDisclosure),
    warnings: texts.filter((text) => !isDisclosure(text) && !isNote(text)),
    notes: texts.filter(isNote),
  };
}

/** The one warning of a missed or unchecked entry begins with the disclosures. */
const BEFORE_MISSED_ENTRY = new RegExp(
  ` (?=${MESSAGES.missedEntryPrefix}|${MESSAGES.uncheckedEntryPrefix})`,
);

const isDisclosure = (text: string) =>
  text.startsWith(MESSAGES.demoDataPrefix) || text.startsWith(MESSAGES.ruleBasedPrefix);

const isNote = (text: string) => /^(The (rationale|key evidence) cites|Low confidence:)/.test(text);
