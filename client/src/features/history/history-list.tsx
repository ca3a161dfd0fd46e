import type { HistoryItem } from "@shared/contract/signal.ts";
import { SearchX } from "lucide-react";
import { Button } from "../../ui/button.tsx";
import { SignalCard } from "./signal-card.tsx";
import { filterTexts as texts } from "./texts.ts";

/** How many the tallest window shows at first; those below are laid out when they come near it. */
const IN_VIEW = 10;
const unseenClass = "[contain-intrinsic-size:auto_13rem] [content-visibility:auto]";

/** The signals that have been read, newest first. */
export function HistoryList({ items }: { items: HistoryItem[] }) {
  return (
    <ol className="flex flex-col gap-4 empty:hidden">
      {items.map((item, index) => (
        <li key={item.id} className={index < IN_VIEW ? "" : unseenClass}>
          <SignalCard item={item} />
        </li>
      ))}
    </ol>
  );
}

/** What is shown where no signal fits the filter. */
export function NoMatch({ onClear }: { onClear(): void }) {
  return (
    <div className="flex min-h-80 flex-col items-center justify-center gap-3 rounded-card border border-dashed border-line-strong p-8 text-center">
      <SearchX aria-hidden className="size-9 text-ink-faint" strokeWidth={1.5} />
      <p className="text-lg font-semibold">{texts.noMatch}</p>
      <p className="text-ink-muted text-pretty">{texts.noMatchLead}</p>
      <Button variant="secondary" className="mt-2" onClick={onClear}>
        {texts.showAll}
      </Button>
    </div>
  );
}
