import { useEffect, useRef } from "react";
import { Button } from "../../ui/button.tsx";
import { historyTexts as texts } from "./texts.ts";

/** How far below the view the next page is fetched already. */
const AHEAD = "600px";

interface LoadMoreProps {
  busy: boolean;
  onWanted(): void;
}

/** Loads the next page when it comes near the view, or at a press. */
export function LoadMore({ busy, onWanted }: LoadMoreProps) {
  const box = useRef<HTMLDivElement>(null);
  const wanted = useRef(onWanted);
  wanted.current = onWanted;
  useEffect(() => {
    if (!box.current || busy) return;
    const observer = new IntersectionObserver(
      ([entry]) => entry?.isIntersecting && wanted.current(),
      { rootMargin: AHEAD },
    );
    observer.observe(box.current);
    return () => observer.disconnect();
  }, [busy]);
  return (
    <div ref={box} className="flex justify-center">
      <Button variant="secondary" busy={busy} onClick={onWanted}>
        {busy ? texts.loadingMore : texts.loadMore}
      </Button>
    </div>
  );
}
