import { WifiOff } from "lucide-react";
import { useEffect, useState } from "react";
import { useLive } from "../lib/live/live-store.ts";
import { appTexts } from "./texts.ts";

/** Short interruptions are nobody's concern. */
const PATIENCE_MS = 2_000;

/** Says quietly that live updates are interrupted, in the room above a page's heading: nothing moves for it. */
export function ConnectionStrip() {
  const online = useLive((live) => live.connection === "online");
  const [late, setLate] = useState(false);
  useEffect(() => {
    if (online) return;
    const timer = setTimeout(() => setLate(true), PATIENCE_MS);
    return () => {
      clearTimeout(timer);
      setLate(false);
    };
  }, [online]);
  return (
    <div role="status" className="relative z-10 h-0">
      {late && (
        <p className="flex animate-enter items-center justify-center gap-2 border-b border-line bg-raised px-4 py-1.5 text-sm text-ink-muted">
          <WifiOff aria-hidden className="size-4" />
          {appTexts.offline}
        </p>
      )}
    </div>
  );
}
