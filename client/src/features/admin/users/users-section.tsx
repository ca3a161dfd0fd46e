import type { UserCard } from "@shared/contract/account.ts";
import { userListQuerySchema } from "@shared/contract/admin.ts";
import { useMutation } from "@tanstack/react-query";
import { type KeyboardEvent, useCallback, useEffect, useMemo, useRef, useState } from "react";
import { useOverview } from "../../../domain/admin-overview.ts";
import { useMe } from "../../../domain/me.ts";
import { formatCount } from "../../../lib/format.ts";
import { useFilterParams } from "../../../lib/use-filter-params.ts";
import { Button, TextLink } from "../../../ui/button.tsx";
import { Skeleton } from "../../../ui/card.tsx";
import { SearchField } from "../../../ui/fields.tsx";
import { NextPage } from "../../../ui/load-states.tsx";
import { failureToast } from "../../../ui/show-toast.ts";
import { AdminSection } from "../admin-section.tsx";
import { openProof } from "../admin-state.ts";
import { type UserFilter, useSubscriptionSummary, useUsers } from "../api.ts";
import { isWriting } from "../undo-access.ts";
import { approveAndOfferUndo } from "./approve-user.ts";
import { BulkActions } from "./bulk-actions.tsx";
import { useOpenedRow } from "./opened-row.ts";
import type { RowAction } from "./row-keys.ts";
import { defaultTerms } from "./subscription-terms.tsx";
import { UserDrawer } from "./user-card.tsx";
import { UserOverlays } from "./user-overlays.tsx";
import { UsersTable } from "./users-table.tsx";

const filterSchema = userListQuerySchema.pick({ search: true, status: true, sort: true });

/** What the section shows is in the address, so that it survives a reload and the back button. */
function useUserParams() {
  const [params, setParams] = useFilterParams();
  const change = (next: Record<string, string | undefined>, replace = true) =>
    setParams(
      (before) => {
        const kept = Object.entries({ ...Object.fromEntries(before), ...next });
        return new URLSearchParams(kept.flatMap(([name, value]) => (value ? [[name, value]] : [])));
      },
      { replace },
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
    change({ search: undefined, status: undefined, sort: undefined });
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
      <UserPages
        filter={filter}
        pageSize={pageSize}
        isPage={isPage}
        onReset={reset}
        onSort={(sort) => change({ sort: sort === "-registered" ? undefined : sort })}
        onOpen={open}
      />
      <UserDrawer username={opened} onClose={() => change({ user: undefined })} />
    </AdminSection>
  );
}

const SEARCH_DELAY_MS = 250;

interface UserSearchProps {
  initial: string;
  searched: string;
  onSearch(text: string): void;
}

/** Searches when its text has not changed for a moment. */
function UserSearch({ initial, searched, onSearch }: UserSearchProps) {
  const [text, setText] = useState(initial);
  const field = useRef<HTMLInputElement>(null);
  useEffect(() => {
    const focus = (event: globalThis.KeyboardEvent) => {
      if (event.key !== "/" || event.ctrlKey || event.metaKey || isWriting(event)) return;
      event.preventDefault();
      field.current?.focus();
      field.current?.select();
    };
    addEventListener("keydown", focus);
    return () => removeEventListener("keydown", focus);
  }, []);
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
      ref={field}
      aria-keyshortcuts="/"
      onChange={({ currentTarget }) => setText(currentTarget.value)}
      onKeyDown={leaveForRows}
      className="relative w-full lg:max-w-sm"
    />
  );
}

/** From the search, the arrow key leads to the rows. */
function leaveForRows(event: KeyboardEvent<HTMLElement>): void {
  if (event.key !== "ArrowDown") return;
  focusRow();
  event.preventDefault();
}

/** The row that the Tab key leads to. */
const focusRow = () =>
  document.querySelector<HTMLElement>("#users tbody tr[tabindex='0']")?.focus();

const statuses = [
  { status: undefined, label: "All" },
  { status: "pending", label: "Pending" },
  { status: "approved", label: "Approved" },
  { status: "proof", label: "Proof waiting" },
  { status: "ending", label: "Ending" },
  { status: "grace", label: "In grace" },
  { status: "ended", label: "Ended" },
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
    subscriptions?.grace,
    subscriptions?.ended,
  ];
  return (
    <fieldset className="flex min-w-0 overflow-x-auto rounded-control border border-line-strong bg-canvas p-1 [scrollbar-width:none]">
      <legend className="sr-only">Show</legend>
      {statuses.map(({ status, label }, index) => (
        <button
          key={label}
          type="button"
          aria-pressed={status === chosen}
          onClick={() => onChange(status)}
          className="flex-1 rounded-md px-2.5 py-1.5 text-sm font-medium whitespace-nowrap text-ink-muted transition-colors hover:text-ink aria-pressed:bg-raised aria-pressed:text-ink"
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
  isPage: boolean | undefined;
  onReset(): void;
  onSort(sort: NonNullable<UserFilter["sort"]>): void;
  onOpen(username: string): void;
}

function UserPages({ filter, pageSize, isPage, onReset, onSort, onOpen }: UserPagesProps) {
  const query = useUsers(filter, pageSize);
  const users = useMemo(() => query.data?.pages.flatMap((page) => page.users), [query.data]);
  const total = query.data?.pages.at(-1)?.total ?? 0;
  /** All that match, read to the last page. */
  const readAll = async () => {
    let result = await query.fetchNextPage();
    while (result.hasNextPage && !result.isError) result = await result.fetchNextPage();
    return result.data?.pages.flatMap((page) => page.users) ?? [];
  };
  const isFiltered = Boolean(filter.search || filter.status || filter.sort?.endsWith("ends"));
  return (
    <div
      aria-busy={query.isPlaceholderData}
      className="flex flex-col gap-3 transition-opacity aria-busy:opacity-60"
    >
      {users && users.length > 0 && (
        <UserRows
          users={users}
          sort={filter.sort ?? "-registered"}
          onSort={onSort}
          onOpen={onOpen}
          total={total}
          readAll={readAll}
          onEnd={() => {
            if (isPage && query.hasNextPage && !query.isFetching) void query.fetchNextPage();
          }}
        />
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
      {(isPage || !users || query.error) && (
        <NextPage
          query={query}
          failed="Failed to load users."
          showsReason
          skeleton={<Skeleton className="h-96 rounded-card" />}
        >
          Show more users
        </NextPage>
      )}
      {isPage && users && users.length > 0 && (
        <p className="figures flex flex-wrap justify-between gap-x-6 gap-y-1 text-sm text-ink-muted">
          <KeyHelp />
          <span role="status">
            {formatCount(users.length)} of {formatCount(total)}
          </span>
        </p>
      )}
    </div>
  );
}

const keyHelp = [
  ["↑ ↓", "move"],
  ["X", "select"],
  ["Enter", "details"],
  ["A", "approve"],
  ["R", "revoke"],
  ["P", "proof"],
  ["M", "more"],
  ["/", "search"],
  ["Z", "undo"],
] as const;

const KeyHelp = () => (
  <span className="flex flex-wrap gap-x-3 gap-y-1 pointer-coarse:hidden">
    {keyHelp.map(([key, action]) => (
      <span key={key}>
        <kbd className="rounded border border-line-strong px-1 font-sans text-xs">{key}</kbd>{" "}
        {action}
      </span>
    ))}
  </span>
);

interface UserRowsProps {
  users: readonly UserCard[];
  sort: NonNullable<UserFilter["sort"]>;
  onSort(sort: NonNullable<UserFilter["sort"]>): void;
  onOpen(username: string): void;
  onEnd(): void;
  /** How many match, of whom `users` are the first. */
  total: number;
  readAll(): Promise<UserCard[]>;
}

/** An action on more users than that is a mistake more often than a wish. */
const MAX_SELECTED = 1_000;

/** The table with what is selected and open in it. */
function UserRows({ users, onOpen, total, readAll, ...table }: UserRowsProps) {
  const ownName = useMe()?.username;
  const [names, setNames] = useState<ReadonlySet<string>>(new Set());
  const { opened, setOpened, shown } = useOpenedRow(users);
  const [busy, setBusy] = useState<ReadonlySet<string>>(new Set());
  const selected = useMemo(
    () => users.filter(({ username }) => names.has(username)),
    [users, names],
  );
  const toggle = (changed: readonly string[], isSelected: boolean) =>
    setNames((now) => {
      const next = new Set(now);
      for (const name of changed) {
        if (isSelected) next.add(name);
        else next.delete(name);
      }
      return next;
    });
  const clear = () => {
    setNames(new Set());
    focusRow();
  };
  const approveUser = async (user: UserCard) => {
    const { username } = user;
    setBusy((now) => new Set(now).add(username));
    await approveAndOfferUndo(user, defaultTerms(user)).catch(
      failureToast(`Failed to approve ${username}`),
    );
    setBusy((now) => new Set([...now].filter((name) => name !== username)));
  };
  const act = (action: RowAction, user: UserCard, row: HTMLElement) => {
    const isSelf = user.username === ownName;
    if (action === "open") onOpen(user.username);
    else if (action === "proof") openProofOf(user);
    else if (action === "more") setOpened({ kind: "more", user, row });
    else if (action === "approve" && !user.approved) void approveUser(user);
    else if (action === "revoke" && user.approved && !isSelf) {
      setOpened({ kind: "revoke", user, row });
    }
  };
  return (
    <>
      <UsersTable
        {...table}
        users={shown}
        ownName={ownName}
        selected={names}
        busy={busy}
        onToggle={toggle}
        onAct={act}
      />
      {selected.length > 0 && (
        <BulkActions users={selected} ownName={ownName} onClear={clear}>
          {selected.length === users.length && total > users.length && total <= MAX_SELECTED && (
            <SelectAll total={total} run={async () => toggle(namesOf(await readAll()), true)} />
          )}
        </BulkActions>
      )}
      <UserOverlays
        opened={opened}
        user={shown.find(({ username }) => username === opened?.user.username)}
        isSelf={opened?.user.username === ownName}
        onClose={() => setOpened(null)}
      />
    </>
  );
}

const namesOf = (users: readonly UserCard[]): string[] => users.map(({ username }) => username);

function SelectAll({ total, run }: { total: number; run: () => Promise<void> }) {
  const selecting = useMutation({
    mutationFn: async (own: HTMLElement) => {
      const bar = own.parentElement;
      await run();
      // This button disappears with the focus.
      const enabled = [...(bar?.querySelectorAll<HTMLElement>("button:enabled") ?? [])];
      enabled.find((button) => button !== own)?.focus();
    },
  });
  return (
    <Button
      variant="secondary"
      size="sm"
      busy={selecting.isPending}
      onClick={({ currentTarget }) => selecting.mutate(currentTarget)}
    >
      Select all {formatCount(total)}
    </Button>
  );
}

const openProofOf = (user: UserCard): void => {
  if (user.payment_proof) openProof(user);
};
