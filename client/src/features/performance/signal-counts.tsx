import type { Performance } from "@shared/contract/performance.ts";
import { Card } from "../../ui/card.tsx";
import { formatCount } from "./format-figures.ts";
import { countTexts as texts } from "./texts.ts";

const fates = [
  { key: "wins", dot: "bg-buy" },
  { key: "losses", dot: "bg-sell" },
  { key: "expired", dot: "bg-wait" },
  { key: "not_filled", dot: "bg-ink-faint" },
  { key: "waits", dot: "bg-ink-faint" },
  { key: "failed", dot: "bg-ink-faint" },
  { key: "pending", dot: "bg-accent" },
] as const;

/** How many signals ended in which way: the losers and those without a result as well. */
export function SignalCounts({ counts }: { counts: Performance["counts"] }) {
  return (
    <Card className="flex flex-col gap-4 p-5 sm:p-6">
      <h2 className="text-lg font-semibold tracking-tight">{texts.heading}</h2>
      <dl className="flex flex-col">
        {fates.map(({ key, dot }) => (
          <div
            key={key}
            className="flex items-center gap-3 border-t border-line py-2.5 first:border-t-0"
          >
            <span aria-hidden className={`size-2.5 shrink-0 rounded-full ${dot}`} />
            <dt className="flex-1">
              {texts[key].name}
              <span className="block text-xs text-ink-faint">{texts[key].text}</span>
            </dt>
            <dd className="figures text-lg font-semibold">{formatCount(counts[key])}</dd>
          </div>
        ))}
      </dl>
    </Card>
  );
}
