import type { Followed } from "@shared/contract/followed.ts";
import { useState } from "react";
import { formatDay, formatPlural } from "../../lib/format.ts";
import { formatProfit } from "../signals/format-profit.ts";

type Day = Followed["by_day"][number];

const WEEKDAYS = ["Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"];
/** The newest ones; the others are in the export. */
const MAX_MONTHS = 6;

/** The days on which trades ended, by month, the newest first. */
export function DayCalendar({ days }: { days: readonly Day[] }) {
  const months = [...new Set(days.map(({ day }) => day.slice(0, 7)))].toReversed();
  const byDay = new Map(days.map((one) => [one.day, one]));
  return (
    <div className="grid gap-6 sm:grid-cols-2 xl:grid-cols-3">
      {months.slice(0, MAX_MONTHS).map((month) => (
        <Month key={month} month={month} byDay={byDay} />
      ))}
    </div>
  );
}

const monthName = new Intl.DateTimeFormat("en-GB", {
  month: "long",
  year: "numeric",
  timeZone: "UTC",
});

/** Whole weeks, from Monday; null for what is not in the month. */
function weeksOf(month: string): (string | null)[][] {
  const first = new Date(`${month}-01T00:00:00Z`);
  const length = new Date(
    Date.UTC(first.getUTCFullYear(), first.getUTCMonth() + 1, 0),
  ).getUTCDate();
  const before = (first.getUTCDay() + 6) % 7;
  const cells = [
    ...Array.from({ length: before }, () => null),
    ...Array.from({ length }, (_, at) => `${month}-${String(at + 1).padStart(2, "0")}`),
  ];
  return Array.from({ length: Math.ceil(cells.length / 7) }, (_, week) =>
    Array.from({ length: 7 }, (_unused, at) => cells[week * 7 + at] ?? null),
  );
}

function Month({ month, byDay }: { month: string; byDay: ReadonlyMap<string, Day> }) {
  const [chosen, setChosen] = useState<Day | null>(null);
  return (
    <div>
      <Weeks month={month} byDay={byDay} onChoose={setChosen} />
      {/* A finger shows no title. Its line is there from the start, so that nothing moves. */}
      <p role="status" className="figures mt-2 min-h-5 text-sm text-ink-muted">
        {chosen && describe(chosen)}
      </p>
    </div>
  );
}

interface WeeksProps {
  month: string;
  byDay: ReadonlyMap<string, Day>;
  onChoose(day: Day): void;
}

function Weeks({ month, byDay, onChoose }: WeeksProps) {
  return (
    <table className="w-full table-fixed border-separate border-spacing-1 text-center text-xs">
      <caption className="mb-1 text-left text-sm font-medium">
        {monthName.format(new Date(`${month}-01T00:00:00Z`))}
      </caption>
      <thead>
        <tr className="text-ink-faint">
          {WEEKDAYS.map((name) => (
            <th key={name} scope="col" className="font-normal">
              {name}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {weeksOf(month).map((week) => (
          <tr key={week.find(Boolean)}>
            {week.map((day, at) => (
              <DayCell
                key={day ?? `${month} ${WEEKDAYS[at]}`}
                day={day}
                of={byDay.get(day ?? "")}
                onChoose={onChoose}
              />
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  );
}

const describe = ({ day, profit, trades }: Day): string =>
  `${formatDay(day)}: ${formatProfit(profit)} in ${formatPlural(trades, "trade")}`;

interface DayCellProps {
  day: string | null;
  of: Day | undefined;
  onChoose(day: Day): void;
}

function DayCell({ day, of, onChoose }: DayCellProps) {
  if (!day) return <td />;
  const number = Number(day.slice(8));
  if (!of)
    return (
      <td className="rounded bg-raised/40 py-1.5 text-ink-faint pointer-coarse:h-10">{number}</td>
    );
  const text = describe(of);
  return (
    <td
      title={text}
      className={`rounded font-medium ${of.profit < 0 ? "bg-sell/12 text-sell" : "bg-buy/12 text-buy"}`}
    >
      <button type="button" onClick={() => onChoose(of)} className="w-full min-w-0 rounded py-1.5">
        <span aria-hidden>{number}</span>
        <span className="sr-only">{text}</span>
      </button>
    </td>
  );
}
