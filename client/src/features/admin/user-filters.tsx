import type { UserCard } from "@shared/contract/account.ts";
import { Search } from "lucide-react";
import { useId, useMemo } from "react";
import { fieldClass } from "../../ui/field-class.ts";
import { countUsers, type UserFilter } from "./filter-users.ts";
import { userTexts as texts } from "./texts.ts";

const FILTERS = ["all", "pending", "proof"] as const;

interface Wanted {
  filter: UserFilter;
  search: string;
}

interface UserFiltersProps {
  users: UserCard[];
  wanted: Wanted;
  onChange(wanted: Wanted): void;
}

/** Which users are shown. */
export function UserFilters({ users, wanted, onChange }: UserFiltersProps) {
  const id = useId();
  const counts = useMemo(() => countUsers(users), [users]);
  return (
    <div className="flex flex-col gap-3 sm:flex-row sm:items-center sm:justify-between">
      <div className="relative w-full sm:max-w-sm">
        <label htmlFor={id} className="sr-only">
          {texts.search}
        </label>
        <Search
          aria-hidden
          className="pointer-events-none absolute inset-y-0 left-3.5 my-auto size-4 text-ink-faint"
        />
        <input
          id={id}
          type="search"
          autoComplete="off"
          spellCheck={false}
          placeholder={texts.searchHint}
          value={wanted.search}
          onChange={({ currentTarget }) => onChange({ ...wanted, search: currentTarget.value })}
          className={`${fieldClass.input} pl-10`}
        />
      </div>
      <fieldset className="flex rounded-control border border-line-strong bg-canvas p-1">
        <legend className="sr-only">{texts.filter}</legend>
        {FILTERS.map((filter) => (
          <button
            key={filter}
            type="button"
            aria-pressed={filter === wanted.filter}
            onClick={() => onChange({ ...wanted, filter })}
            className="flex-1 rounded-md px-3 py-1.5 text-sm font-medium whitespace-nowrap text-ink-muted transition-colors hover:text-ink aria-pressed:bg-raised aria-pressed:text-ink"
          >
            {texts.filters[filter]}{" "}
            <span className="figures ml-0.5 font-normal text-ink-faint">{counts[filter]}</span>
          </button>
        ))}
      </fieldset>
    </div>
  );
}
