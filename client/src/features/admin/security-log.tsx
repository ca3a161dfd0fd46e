import {
  SECURITY_EVENTS,
  type SecurityLogEntry,
  type SecurityLogQuery,
  securityFilterSchema,
} from "@shared/contract/security-log.ts";
import type { FormEvent } from "react";
import { z } from "zod";
import { describeBrowser } from "../../lib/describe-browser.ts";
import { paramsOfForm, useFilterParams } from "../../lib/use-filter-params.ts";
import { Button } from "../../ui/button.tsx";
import { Card, Skeleton } from "../../ui/card.tsx";
import { fieldClass } from "../../ui/field-class.ts";
import { Labelled, Select } from "../../ui/fields.tsx";
import { NextPage } from "../../ui/load-states.tsx";
import { LocalTime } from "../../ui/local-time.tsx";
import { useSecurityLog } from "./api.ts";
import { securityEvents, securityLogSentence } from "./security-log-sentence.ts";

const absent = undefined;
const nameSchema = z.string().trim().min(1).optional().catch(absent);
/** A day in the user's zone. */
const daySchema = z.iso.date().optional().catch(absent);
const filterSchema = z.object({
  type: securityFilterSchema.optional().catch(absent),
  user: nameSchema,
  actor: nameSchema,
  from: daySchema,
  to: daySchema,
});
type Filter = z.infer<typeof filterSchema>;

export function SecurityLog() {
  const [params, setParams] = useFilterParams();
  const filter = filterSchema.parse(Object.fromEntries(params));
  const query = useSecurityLog(queryOf(filter));
  const apply = (form: HTMLFormElement) => {
    const next = paramsOfForm(form);
    if (String(next) === String(params)) void query.refetch();
    else setParams(next);
  };
  return (
    <div className="flex flex-col gap-6">
      <FilterForm
        key={params.toString()}
        filter={filter}
        onApply={apply}
        onReset={() => setParams({})}
      />
      {query.data?.length === 0 && (
        <p className="text-ink-muted">
          {params.size > 0 ? "No entries match this filter." : "No entries yet."}
        </p>
      )}
      {query.data && query.data.length > 0 && <Entries entries={query.data} />}
      <NextPage
        query={query}
        failed="Failed to load the security log."
        showsReason
        skeleton={<Skeleton className="h-64 rounded-card" />}
      >
        Load more
      </NextPage>
    </div>
  );
}

/** The days of a filter as times. The last day is included. */
function queryOf({ from, to, ...filter }: Filter): Partial<SecurityLogQuery> {
  const midnight = (day: string, daysLater: number) => {
    const time = new Date(`${day}T00:00:00`);
    time.setDate(time.getDate() + daysLater);
    return time.toISOString();
  };
  return {
    ...filter,
    ...(from && { from: midnight(from, 0) }),
    ...(to && { to: midnight(to, 1) }),
  };
}

const groups = [
  ["sign-ins", "Sign-ins"],
  ["accounts", "Accounts"],
  ["administration", "Administration"],
  ["access", "Access"],
] as const;

interface FilterFormProps {
  filter: Filter;
  onApply(form: HTMLFormElement): void;
  onReset(): void;
}

function FilterForm({ filter, onApply, onReset }: FilterFormProps) {
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    onApply(event.currentTarget);
  };
  return (
    <form
      aria-label="Filter"
      onSubmit={submit}
      className="grid grid-cols-2 items-end gap-3 md:grid-cols-3 xl:grid-cols-[1.4fr_1fr_1fr_1fr_1fr_auto] *:min-w-0"
    >
      <Labelled label="Event">
        {(id) => (
          <Select id={id} name="type" defaultValue={filter.type ?? ""}>
            <EventOptions />
          </Select>
        )}
      </Labelled>
      {inputs.map(({ label, name, type }) => (
        <Labelled key={name} label={label}>
          {(id) => (
            <input
              id={id}
              name={name}
              type={type}
              defaultValue={filter[name]}
              autoComplete="off"
              spellCheck={false}
              maxLength={64}
              className={`${fieldClass.input} min-w-0`}
            />
          )}
        </Labelled>
      ))}
      <div className="flex gap-2">
        <Button type="submit" className="h-11">
          Apply
        </Button>
        <Button variant="ghost" className="h-11" onClick={onReset}>
          Reset
        </Button>
      </div>
    </form>
  );
}

const inputs = [
  { label: "User", name: "user", type: "text" },
  { label: "Done by", name: "actor", type: "text" },
  { label: "From", name: "from", type: "date" },
  { label: "To", name: "to", type: "date" },
] as const;

const EventOptions = () => (
  <>
    <option value="">All events</option>
    {groups.map(([group, label]) => (
      <optgroup key={group} label={label}>
        <option value={group}>{label}: all</option>
        {SECURITY_EVENTS[group].map((type) => (
          <option key={type} value={type}>
            {securityEvents[type].label}
          </option>
        ))}
      </optgroup>
    ))}
  </>
);

export function Entries({ entries }: { entries: SecurityLogEntry[] }) {
  return (
    <Card>
      <ol className="divide-y divide-line">
        {entries.map((entry) => (
          <li
            key={entry.id}
            className="flex flex-col gap-x-6 gap-y-0.5 px-4 py-3 text-sm sm:flex-row sm:items-baseline sm:px-5"
          >
            <p className="figures shrink-0 text-ink-faint sm:order-last sm:ml-auto">
              <LocalTime iso={entry.at} atEnd />
            </p>
            <div className="min-w-0">
              <p className="text-ink-muted wrap-anywhere">
                <span className="font-medium text-ink">{entry.actor ?? "Someone"}</span>{" "}
                {securityLogSentence(entry)}
              </p>
              <Origin entry={entry} />
            </div>
          </li>
        ))}
      </ol>
    </Card>
  );
}

function Origin({ entry: { address, device } }: { entry: SecurityLogEntry }) {
  if (address === null) return null;
  return (
    <p className="text-xs text-ink-faint wrap-anywhere" title={device ?? undefined}>
      {address}
      {device !== null && `, ${describeBrowser(device)}`}
    </p>
  );
}
