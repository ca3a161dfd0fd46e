import { userListQuerySchema } from "@shared/contract/admin.ts";
import { useCallback, useEffect, useRef, useState } from "react";
import { useSearchParams } from "react-router-dom";
import { useOverview } from "../../../domain/admin-overview.ts";
import { formatCount } from "../../../lib/format.ts";
import { Button, TextLink } from "../../../ui/button.tsx";
import { Skeleton } from "../../../ui/card.tsx";
import { SearchField } from "../../../ui/fields.tsx";
import { NextPage } from "../../../ui/load-states.tsx";
import { AdminSection } from "../admin-section.tsx";
import { type UserFilter, useSubscriptionSummary, useUsers } from "../api.ts";
import { UserDrawer, UserItem } from "./user-card.tsx";

const filterSchema = userListQuerySchema.pick({ search: true, status: true });

/** What the section shows is in the address, so that it survives a reload and the back button. */
function useUserParams() {
  const [params, setParams] = useSearchParams();
  const change = (next: Record<string, string | undefined>, replace = true) =>
    setParams(
      (before) => {
        const kept = Object.entries({ ...Object.fromEntries(before), ...next });
        return new URLSearchParams(kept.flatMap(([name, value]) => (value ? [[name, value]] : [])));
      },
      { replace, preventScrollReset: true },
    );
  const filter = filterSchema.safeParse(Object.fromEntries(params)).data ?? {};
  return { filter, opened: params.get("user"), change };
}

interface UsersSectionProps {
  pageSize: number;
  isPage?: boolean;
}

export function UsersSection({ pageSize, isPage }: UsersSectionProps) {
  const { filter, opened, change } = useUserParams();
  /** A new field is empty. */
  const [resets, setResets] = useState(0);
  const reset = () => {
    change({ search: undefined, status: undefined });
    setResets(resets + 1);
  };
  const latestChange = useRef(change);
  useEffect(() => {
    latestChange.current = change;
  });
  const open = useCallback((user: string) => latestChange.current({ user }, false), []);
  return (
    <AdminSection
      id="users"
      title="Users"
      isPage={isPage}
      action={!isPage && <TextLink to="/admin/users">All users</TextLink>}
    >
      <div className="flex flex-col gap-3 lg:flex-row lg:items-center lg:justify-between">
        <UserSearch
          key={resets}
          initial={resets > 0 ? "" : (filter.search ?? "")}
          searched={filter.search ?? ""}
          onSearch={(search) => change({ search })}
        />
        <StatusFilter status={filter.status} onChange={(status) => change({ status })} />
      </div>
      <div className={isPage ? "" : shortOnPhones}>
        <UserPages filter={filter} pageSize={pageSize} onReset={reset} onOpen={open} />
      </div>
      <UserDrawer username={opened} onClose={() => change({ user: undefined })} />
    </AdminSection>
  );
}

/** On the overview, small screens show the five newest users. */
const shortOnPhones = "max-sm:[&_li:nth-child(n+6)]:hidden";

const SEARCH_DELAY_MS = 250;

interface UserSearchProps {
  initial: string;
  searched: string;
  onSearch(text: string): void;
}

/** Searches when its text has not changed for a moment. */
function UserSearch({ initial, searched, onSearch }: UserSearchProps) {
  const [text, setText] = useState(initial);
  useEffect(() => {
    if (text.trim() === searched) return;
    const timer = setTimeout(() => onSearch(text.trim()), SEARCH_DELAY_MS);
    return () => clearTimeout(timer);
  });
  return (
    <SearchField
      label="Search users"
      labelClass="sr-only"
      placeholder="Name, email or sender"
      value={text}
      onChange={({ currentTarget }) => setText(currentTarget.value)}
      className="relative w-full lg:max-w-sm"
    />
  );
}

const statuses = [
  { status: undefined, label: "All" },
  { status: "pending", label: "Pending" },
  { status: "approved", label: "Approved" },
  { status: "proof", label: "Proof waiting" },
  { status: "ending", label: "Ending" },
] as const;

interface StatusFilterProps {
  status: UserFilter["status"];
  onChange(status: UserFilter["status"]): void;
}

function StatusFilter({ status: chosen, onChange }: StatusFilterProps) {
  const { data } = useOverview();
  const { data: subscriptions } = useSubscriptionSummary();
  const counts = data && [
    data.users,
    data.pending,
    data.users - data.pending,
    data.proofs,
    subscriptions?.ending_7_days,
  ];
  return (
    <fieldset className="grid min-w-0 grid-cols-3 rounded-control border border-line-strong bg-canvas p-1 sm:flex">
      <legend className="sr-only">Show</legend>
      {statuses.map(({ status, label }, index) => (
        <button
          key={label}
          type="button"
          aria-pressed={status === chosen}
          onClick={() => onChange(status)}
          className="flex-1 rounded-md px-1 sm:px-2.5 py-1.5 text-sm font-medium whitespace-nowrap text-ink-muted transition-colors hover:text-ink aria-pressed:bg-raised aria-pressed:text-ink"
        >
          {label}{" "}
          <span className="figures ml-0.5 font-normal text-ink-faint">
            {formatCount(counts?.[index] ?? 0)}
          </span>
        </button>
      ))}
    </fieldset>
  );
}

interface UserPagesProps {
  filter: UserFilter;
  pageSize: number;
  onReset(): void;
  onOpen(username: string): void;
}

function UserPages({ filter, pageSize, onReset, onOpen }: UserPagesProps) {
  const query = useUsers(filter, pageSize);
  const users = query.data?.pages.flatMap((page) => page.users);
  const total = query.data?.pages.at(-1)?.total ?? 0;
  const isFiltered = Boolean(filter.search || filter.status);
  return (
    <div
      aria-busy={query.isPlaceholderData}
      className="flex flex-col gap-3 transition-opacity aria-busy:opacity-60"
    >
      {users && users.length > 0 && (
        <ul className="flex flex-col gap-2">
          {users.map((user) => (
            <li key={user.username}>
              <UserItem user={user} onOpen={onOpen} />
            </li>
          ))}
        </ul>
      )}
      {users?.length === 0 && (
        <div className="flex flex-col items-center gap-4 rounded-card border border-dashed border-line-strong px-6 py-10 text-center">
          <p role="status" className="text-ink-muted">
            {isFiltered ? "No matching users." : "No users yet."}
          </p>
          {isFiltered && (
            <Button variant="secondary" onClick={onReset}>
              Show all users
            </Button>
          )}
        </div>
      )}
      <NextPage
        query={query}
        failed="Failed to load users."
        showsReason
        skeleton={
          <div className="flex flex-col gap-2">
            {<Skeleton className="h-28 rounded-card" count={4} />}
          </div>
        }
      >
        Show more users
      </NextPage>
      {users && users.length < total && (
        <p role="status" className="figures text-center text-sm text-ink-muted">
          {formatCount(users.length)} of {formatCount(total)}
        </p>
      )}
    </div>
  );
}
