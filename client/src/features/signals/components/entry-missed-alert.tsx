import type { EntryLeft } from "@shared/contract/signal.ts";
import { formatMoment, formatPriceInText } from "../../../lib/format.ts";
import { Alert } from "../../../ui/alert.tsx";

export function EntryMissedAlert({ entryLeft: { price, at } }: { entryLeft: EntryLeft }) {
  const moment = formatMoment(at, new Date());
  return (
    <Alert
      tone="warning"
      title={`Price has left the entry zone (${formatPriceInText(price)} at ${moment})`}
    >
      The risk and reward shown no longer apply. Request a new signal.
    </Alert>
  );
}
