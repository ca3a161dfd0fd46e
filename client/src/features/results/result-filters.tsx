import { TIMEFRAMES } from "@shared/contract/constants.ts";
import {
  FOLLOW_DELAYS,
  type FollowedQuery,
  followedQuerySchema,
} from "@shared/contract/followed.ts";
import type { signalOriginSchema } from "@shared/contract/signal.ts";
import { X } from "lucide-react";
import { type InputHTMLAttributes, useState } from "react";
import { Button } from "../../ui/button.tsx";
import { fieldClass } from "../../ui/field-class.ts";
import { Labelled, SelectField } from "../../ui/fields.tsx";
import { type FollowedField, filterOf, paramsOf } from "./api.ts";

const ANY = "ANY";

const originOptions = [
  { value: ANY, label: "All origins" },
  { value: "request", label: "Requested" },
  { value: "watchlist", label: "Watchlist" },
] as const satisfies {
  value: typeof ANY | (typeof signalOriginSchema.options)[number];
  label: string;
}[];

const timeframeOptions = [
  { value: ANY, label: "All timeframes" } as const,
  ...TIMEFRAMES.map((value) => ({ value, label: value })),
];

const DELAY_LABELS = {
  "0": "As recorded",
  "1m": "1 minute later",
  "5m": "5 minutes later",
  "15m": "15 minutes later",
  delivered: "When my message arrived",
} as const;
const delayOptions = FOLLOW_DELAYS.map((value) => ({ value, label: DELAY_LABELS[value] }));

interface ResultFiltersProps {
  filter: FollowedQuery;
  onChange(filter: FollowedQuery): void;
}

export function ResultFilters({ filter, onChange }: ResultFiltersProps) {
  /** @returns why the text is not valid, which then changes nothing */
  const set = (field: FollowedField, value: string): string | null => {
    const { error } = followedQuerySchema.shape[field].safeParse(value || undefined);
    if (error) return error.issues[0]?.message ?? error.message;
    const params = paramsOf(filter);
    params.delete(field);
    if (value !== "") params.set(field, value);
    onChange(filterOf(params));
    return null;
  };
  const dayOf = (iso: string | undefined) => iso?.slice(0, 10) ?? "";
  const setDay = (field: "since" | "until") => (day: string) =>
    set(field, day && `${day}T00:00:00.000Z`);
  const isFiltered = paramsOf(filter).size > 0;
  return (
    <div className="grid grid-cols-2 items-start gap-3 md:grid-cols-3 xl:grid-cols-5">
      <Input
        label="Start balance, USD"
        value={String(filter.start_balance)}
        inputMode="decimal"
        onSet={(text) => set("start_balance", text)}
      />
      <Input
        label="Risk per trade, %"
        value={String(filter.risk_percent)}
        inputMode="decimal"
        onSet={(text) => set("risk_percent", text)}
      />
      <SelectField
        label="Entry"
        value={filter.delay}
        options={delayOptions}
        onChange={(delay) => onChange({ ...filter, delay })}
      />
      <Input
        label="Market"
        placeholder="All markets"
        value={filter.symbol ?? ""}
        onSet={(text) => set("symbol", text)}
      />
      <SelectField
        label="Timeframe"
        value={filter.timeframe ?? ANY}
        options={timeframeOptions}
        onChange={(value) => set("timeframe", value === ANY ? "" : value)}
      />
      <SelectField
        label="Origin"
        value={filter.origin ?? ANY}
        options={originOptions}
        onChange={(value) => set("origin", value === ANY ? "" : value)}
      />
      <Input
        label="Least confidence, %"
        placeholder="Any"
        inputMode="numeric"
        value={filter.min_confidence === undefined ? "" : String(filter.min_confidence)}
        onSet={(text) => set("min_confidence", text)}
      />
      <Input label="From" type="date" value={dayOf(filter.since)} onSet={setDay("since")} />
      <Input label="Before" type="date" value={dayOf(filter.until)} onSet={setDay("until")} />
      {isFiltered && (
        <Button
          Icon={X}
          variant="ghost"
          className="h-11 self-end justify-self-start"
          onClick={() => onChange(filterOf(new URLSearchParams()))}
        >
          Clear filters
        </Button>
      )}
    </div>
  );
}

interface InputProps
  extends Pick<InputHTMLAttributes<HTMLInputElement>, "placeholder" | "inputMode" | "type"> {
  label: string;
  value: string;
  /** @returns why the text is not valid */
  onSet(text: string): string | null;
}

const Input = ({ label, ...input }: InputProps) => (
  <Labelled label={label}>{(id) => <TextInput key={input.value} id={id} {...input} />}</Labelled>
);

/** Sets its text when it is left, or by Enter. A text that is not valid stays, with the reason. */
function TextInput({ id, value, onSet, ...input }: Omit<InputProps, "label"> & { id: string }) {
  const [fault, setFault] = useState<string | null>(null);
  const faultId = `${id}-fault`;
  const setText = (control: HTMLInputElement) => {
    if (control.value === value) return setFault(null);
    setFault(onSet(control.value.trim()));
    // A field that is cleared shows its default, also if that was set before.
    if (control.value === "") control.value = value;
  };
  return (
    <>
      <input
        id={id}
        defaultValue={value}
        autoComplete="off"
        aria-invalid={fault ? true : undefined}
        aria-describedby={fault ? faultId : undefined}
        onBlur={({ currentTarget }) => setText(currentTarget)}
        onKeyDown={({ key, currentTarget }) => {
          if (key === "Enter") currentTarget.blur();
        }}
        className={`${fieldClass.input} min-w-0 aria-invalid:border-danger`}
        {...input}
      />
      {fault && (
        <p id={faultId} role="alert" className={fieldClass.error}>
          {fault}
        </p>
      )}
    </>
  );
}
