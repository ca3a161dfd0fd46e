import type { EntryLeft } from "@shared/contract/signal.ts";
import { formatMoment, formatPriceInText } from "../../../lib/format.ts";
import { Alert } from "../../../ui/alert.tsx";

const texts = {
  title: ({ price, at }: { price: string; at: string }) =>
    `Price has left the entry zone (${price} at ${at})`,
  advice:
    "Entered now, the trade would not have the risk and reward shown here. Ask for a new signal instead.",
} as const;

/** Says that the trade is not to be had any more as it was advised. */
export function EntryLeftNotice({ entryLeft: { price, at } }: { entryLeft: EntryLeft }) {
  const facts = { price: formatPriceInText(price), at: formatMoment(at, new Date()) };
  return (
    <Alert tone="warning" title={texts.title(facts)}>
      {texts.advice}
    </Alert>
  );
}
