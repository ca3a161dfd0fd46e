import { formatDateTime, formatUtc } from "../lib/format.ts";

interface LocalTimeProps {
  /** ISO time. */
  iso: string;
  /** Can be reached by the Tab key, for whoever cannot point at it; not in lists, where it would be one stop each. */
  focusable?: boolean;
  /** Stands at the right end of its line. */
  atEnd?: boolean;
}

/** Not merely invisible: that would still widen a narrow page. */
const tip =
  "after:pointer-events-none after:hidden after:absolute after:top-full after:z-20 after:mt-1 after:rounded-md after:border after:border-line-strong after:bg-raised after:px-2 after:py-1 after:text-xs after:whitespace-nowrap after:text-ink after:shadow-float after:content-[attr(data-utc)]";
const tipShown =
  "hover:after:block focus-visible:after:block group-focus-visible/reveal:after:block";

/** A time in the reader's zone; in UTC when it, or what has `group/reveal` around it, is pointed at or has the focus. */
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
