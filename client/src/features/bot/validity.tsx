import { Hourglass, TimerOff } from "lucide-react";
import { useState } from "react";
import { formatDuration } from "../../lib/format.ts";
import { LocalTime } from "../../ui/local-time.tsx";
import { useNow } from "../../ui/use-now.ts";
import { validityTexts as texts } from "./texts.ts";

/** Until when the entry may be taken, and how much of that is left. */
export function Validity({ until }: { until: string }) {
  const endsAt = Date.parse(until);
  const [isOver, setOver] = useState(Date.now() >= endsAt);
  const now = useNow(!isOver);
  if (!isOver && now >= endsAt) setOver(true);
  const Icon = isOver ? TimerOff : Hourglass;
  const look = isOver ? "border-line bg-raised" : "border-accent/30 bg-accent/8";
  return (
    <p
      className={`flex flex-wrap items-center gap-x-2 gap-y-1 rounded-control border px-4 py-2.5 text-sm ${look}`}
    >
      <Icon aria-hidden className={`size-4 ${isOver ? "text-ink-muted" : "text-accent"}`} />
      {isOver && <strong className="font-semibold">{texts.expired}</strong>}
      <span className="figures text-ink-muted">
        {isOver ? texts.expiredAt : texts.validUntil} <LocalTime iso={until} focusable />
      </span>
      {!isOver && (
        <span role="timer" className="figures ml-auto font-semibold">
          {texts.left(formatDuration(endsAt - now))}
        </span>
      )}
    </p>
  );
}
