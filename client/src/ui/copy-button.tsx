import { Check, Copy, X } from "lucide-react";
import { useEffect, useState } from "react";
import { Button } from "./button.tsx";

const SHOWN_MS = 3_000;

const looks = {
  ready: { Icon: Copy, label: "Copy" },
  copied: { Icon: Check, label: "Copied" },
  refused: { Icon: X, label: "Copy failed" },
} as const;

export function CopyButton({ text, name }: { text: string; name: string }) {
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
  return (
    <Button variant="secondary" size="sm" onClick={() => void copy()}>
      <Icon aria-hidden className={`size-4 ${state === "copied" ? "text-buy" : ""}`} />
      <span aria-live="polite">{label}</span>
      <span className="sr-only">{name}</span>
    </Button>
  );
}
