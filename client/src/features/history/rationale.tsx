import { useState } from "react";
import { historyTexts as texts } from "./texts.ts";

/** Longer texts are folded, so that the list stays easy to run through. */
const FOLD_ABOVE_CHARS = 240;

/** Why a signal said what it said. */
export function Rationale({ text }: { text: string }) {
  const [open, setOpen] = useState(false);
  if (text.trim() === "") return null;
  const isLong = text.length > FOLD_ABOVE_CHARS;
  const folded = isLong && !open;
  return (
    <div className="flex flex-col items-start gap-1">
      <p
        className={`max-w-prose leading-relaxed text-ink-muted text-pretty whitespace-pre-line ${folded ? "line-clamp-3" : ""}`}
      >
        {text}
      </p>
      {isLong && (
        <button
          type="button"
          aria-expanded={open}
          onClick={() => setOpen(!open)}
          className="rounded text-sm font-medium text-accent hover:text-accent-strong"
        >
          {open ? texts.less : texts.more}
        </button>
      )}
    </div>
  );
}
