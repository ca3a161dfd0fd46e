import { formatDateTime, formatUtc } from "../lib/format.ts";

interface LocalTimeProps {
  iso: string;
  /** Reachable with the Tab key. Not for lists, where every time would be a stop. */
  focusable?: boolean;
  atEnd?: boolean;
}

/** `hidden` rather than invisible, which would still widen a narrow page. */
const tip =
  "after:pointer-events-none after:hidden after:absolute after:top-full after:z-20 after:mt-1 after:rounded-md after:border after:border-line-strong after:bg-raised after:px-2 after:py-1 after:text-xs after:whitespace-nowrap after:text-ink after:shadow-float after:content-[attr(data-utc)]";
const tipShown =
  "hover:after:block focus-visible:after:block group-focus-visible/reveal:after:block";

/** A time in the user's zone. The tooltip shows UTC, also when an ancestor with `group/reveal` has the focus. */
export function LocalTime({ iso, focusable = false, atEnd = false }: LocalTimeProps) {
  return (
    <time
      dateTime={iso}
      data-utc={formatUtc(iso)}
      tabIndex={focusable ? 0 : undefined}
      className={`relative rounded-sm ${tip} ${tipShown} ${atEnd ? "after:right-0" : "after:left-0"}`}
    >
      {formatDateTime(iso)}
    </time>
  );
}
