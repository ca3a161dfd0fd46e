import { Check, Copy, X } from "lucide-react";
import { useEffect, useState } from "react";
import { Button } from "./button.tsx";

const SHOWN_MS = 3_000;

const looks = {
  ready: { Icon: Copy, label: "Copy" },
  copied: { Icon: Check, label: "Copied" },
  refused: { Icon: X, label: "Copy failed" },
} as const;

interface CopyButtonProps {
  text: string;
  name: string;
  /** Small, beside a line of text. */
  isIcon?: boolean;
}

export function CopyButton({ text, name, isIcon = false }: CopyButtonProps) {
  const [state, setState] = useState<keyof typeof looks>("ready");
  useEffect(() => {
    if (state === "ready") return;
    const timer = setTimeout(() => setState("ready"), SHOWN_MS);
    return () => clearTimeout(timer);
  }, [state]);
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(text);
      setState("copied");
    } catch {
      setState("refused");
    }
  };
  const { Icon, label } = looks[state];
  if (isIcon) {
    return (
      <button
        type="button"
        aria-label={`${label} ${name}`}
        onClick={() => void copy()}
        className="flex size-6 shrink-0 items-center justify-center rounded text-ink-faint hover:text-ink"
      >
        <Icon aria-hidden className={`size-4 ${state === "copied" ? "text-buy" : ""}`} />
      </button>
    );
  }
  return (
    <Button variant="secondary" size="sm" onClick={() => void copy()}>
      <Icon aria-hidden className={`size-4 ${state === "copied" ? "text-buy" : ""}`} />
      <span aria-live="polite">{label}</span>
      <span className="sr-only">{name}</span>
    </Button>
  );
}
