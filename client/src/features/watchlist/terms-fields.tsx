import type { WatchlistItem } from "@shared/contract/watchlist.ts";
import { TextField } from "../../ui/text-field.tsx";

const FIELDS = [
  { name: "min_confidence", label: "Min. confidence (%)" },
  { name: "amount", label: "Amount (USD)" },
  { name: "risk_percent", label: "Risk (%)" },
  { name: "leverage", label: "Leverage" },
] as const;

type Terms = Pick<WatchlistItem, (typeof FIELDS)[number]["name"]>;

/** When a signal is made for the user, and how it is sized. Their form reads the fields. */
export function TermsFields({ terms, className = "" }: { terms: Terms; className?: string }) {
  return (
    <div className={`grid grid-cols-2 items-start gap-x-3 gap-y-4 ${className}`}>
      {FIELDS.map(({ name, label }) => (
        <TextField
          key={name}
          name={name}
          label={label}
          defaultValue={String(terms[name])}
          inputMode="decimal"
          autoComplete="off"
        />
      ))}
    </div>
  );
}
