import { economicEventListSchema } from "@shared/contract/economic-events.ts";
import { useQuery } from "@tanstack/react-query";
import { CalendarClock } from "lucide-react";
import { api } from "../../../lib/api/client.ts";

const REFRESH_MS = 5 * 60_000;
const SHOWN_EVENTS = 2;

const time = new Intl.DateTimeFormat("en", {
  hour: "2-digit",
  minute: "2-digit",
  hourCycle: "h23",
  timeZone: "UTC",
});

/** The next scheduled events of high impact that concern a market, in one line; nothing without any. */
export function NextEvents({ symbol }: { symbol: string }) {
  const { data } = useQuery({
    queryKey: ["economic-events", symbol],
    queryFn: ({ signal }) =>
      api({ path: "/economic-events", query: { symbol }, schema: economicEventListSchema, signal }),
    staleTime: REFRESH_MS,
    refetchInterval: REFRESH_MS,
    retry: false,
  });
  const events = data?.events?.filter(({ impact }) => impact === "High").slice(0, SHOWN_EVENTS);
  if (!events || events.length === 0) return null;
  const texts = events.map(
    ({ at, currency, title }) => `${time.format(new Date(at))} UTC ${title} (${currency})`,
  );
  return (
    <p className="flex min-w-0 items-baseline gap-2 text-sm text-ink-muted">
      <CalendarClock aria-hidden className="size-4 shrink-0 self-center text-wait" />
      <span className="min-w-0 truncate" title={texts.join(", ")}>
        <span className="sr-only">Next events: </span>
        {texts.join(", ")}
      </span>
    </p>
  );
}
