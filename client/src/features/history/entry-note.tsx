import type { HistoryItem } from "@shared/contract/signal.ts";
import { formatMoment, formatPriceInText } from "../../lib/format-moment.ts";
import { entryTexts as texts } from "./texts.ts";

/** Why a trade that is not over yet can no longer be entered as it was advised; nothing while it can. */
export function EntryNote({ item }: { item: HistoryItem }) {
  const text = entryNote(item, new Date());
  return text && <p className="figures text-sm text-wait">{text}</p>;
}

/** The note in words; null while the entry can be had, and once the trade is judged. */
export function entryNote(
  { outcome, entry_left, valid_until }: HistoryItem,
  now: Date,
): string | null {
  if (outcome) return null;
  if (entry_left) {
    const at = formatMoment(entry_left.at, now);
    return texts.left({ price: formatPriceInText(entry_left.price), at });
  }
  if (!valid_until || Date.parse(valid_until) > now.getTime()) return null;
  return texts.expired(formatMoment(valid_until, now));
}
