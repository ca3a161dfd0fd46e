import type { UserCard } from "@shared/contract/account.ts";
import { ChevronLeft, ChevronRight } from "lucide-react";
import { useDeferredValue, useId, useMemo, useRef, useState } from "react";
import { Button } from "../../../ui/button.tsx";
import { Skeleton } from "../../../ui/card.tsx";
import { QueryView } from "../../../ui/load-error.tsx";
import { SearchInput } from "../../../ui/search-input.tsx";
import { AdminSection } from "../admin-section.tsx";
import { useUsers } from "../api.ts";
import { UserItem } from "./user-card.tsx";

export function UsersSection() {
  return (
    <AdminSection id="users" title="Users">
      <QueryView query={useUsers()} failed="Failed to load users." skeleton={<UsersSkeleton />}>
        {({ users }) => <UserBrowser users={users} />}
      </QueryView>
    </AdminSection>
  );
}

const filters = {
  all: { label: "All", includes: () => true },
  pending: { label: "Pending", includes: (user: UserCard) => !user.approved },
  proof: { label: "With proof", includes: (user: UserCard) => user.payment_proof !== null },
} as const;
const filterNames = ["all", "pending", "proof"] as const;

interface Wanted {
  filter: keyof typeof filters;
  search: string;
}

const everyUser: Wanted = { filter: "all", search: "" };

function UserBrowser({ users }: { users: UserCard[] }) {
  const [wanted, setWanted] = useState(everyUser);
  const search = useDeferredValue(wanted.search);
  const { filter } = wanted;
  const found = useMemo(() => filterUsers(users, { filter, search }), [users, filter, search]);
  return (
    <>
      <UserFilters users={users} wanted={wanted} onChange={setWanted} />
      {found.length === 0 ? (
        <div className="flex flex-col items-center gap-4 rounded-card border border-dashed border-line-strong px-6 py-14 text-center">
          <p role="status" className="text-ink-muted">
            {users.length === 0 ? "No users yet." : "No matching users."}
          </p>
          {users.length > 0 && (
            <Button variant="secondary" onClick={() => setWanted(everyUser)}>
              Show all users
            </Button>
          )}
        </div>
      ) : (
        <UserPages key={`${filter} ${search}`} users={found} />
      )}
    </>
  );
}

function UsersSkeleton() {
  return (
    <div className="flex flex-col gap-4">
      <Skeleton className="h-11 w-full max-w-md" />
      <div className="grid gap-4 xl:grid-cols-2">
        <Skeleton className="h-80 rounded-card" count={4} />
      </div>
    </div>
  );
}

interface UserFiltersProps {
  users: UserCard[];
  wanted: Wanted;
  onChange(wanted: Wanted): void;
}

function UserFilters({ users, wanted, onChange }: UserFiltersProps) {
  const id = useId();
  const counts = useMemo(() => countUsers(users), [users]);
  return (
    <div className="flex flex-col gap-3 sm:flex-row sm:items-center sm:justify-between">
      <div className="relative w-full sm:max-w-sm">
        <label htmlFor={id} className="sr-only">
          Search users
        </label>
        <SearchInput
          id={id}
          placeholder="Name, email or sender"
          value={wanted.search}
          onChange={({ currentTarget }) => onChange({ ...wanted, search: currentTarget.value })}
        />
      </div>
      <fieldset className="flex rounded-control border border-line-strong bg-canvas p-1">
        <legend className="sr-only">Show</legend>
        {filterNames.map((filter) => (
          <button
            key={filter}
            type="button"
            aria-pressed={filter === wanted.filter}
            onClick={() => onChange({ ...wanted, filter })}
            className="flex-1 rounded-md px-3 py-1.5 text-sm font-medium whitespace-nowrap text-ink-muted transition-colors hover:text-ink aria-pressed:bg-raised aria-pressed:text-ink"
          >
            {filters[filter].label}{" "}
            <span className="figures ml-0.5 font-normal text-ink-faint">{counts[filter]}</span>
          </button>
        ))}
      </fieldset>
    </div>
  );
}

const PAGE_SIZE = 20;

function UserPages({ users }: { users: UserCard[] }) {
  const [wantedPage, setPage] = useState(0);
  const top = useRef<HTMLDivElement>(null);
  const page = Math.min(wantedPage, Math.floor((users.length - 1) / PAGE_SIZE));
  const from = page * PAGE_SIZE;
  const to = Math.min(from + PAGE_SIZE, users.length);
  const isLast = to === users.length;
  const turn = (pages: number) => {
    setPage(page + pages);
    top.current?.scrollIntoView();
  };
  return (
    <div ref={top} className="flex scroll-mt-36 flex-col gap-4">
      <ul className="grid grid-cols-[minmax(0,1fr)] gap-4 xl:grid-cols-2">
        {users.slice(from, to).map((user) => (
          <li key={user.username} className="flex">
            <UserItem user={user} />
          </li>
        ))}
      </ul>
      {users.length > PAGE_SIZE && (
        <nav aria-label="Pages of users" className="flex items-center justify-center gap-4">
          <Button
            Icon={ChevronLeft}
            variant="secondary"
            size="sm"
            disabled={page === 0}
            onClick={() => turn(-1)}
          >
            Previous
          </Button>
          <p role="status" className="figures text-sm text-ink-muted">
            {from + 1}–{to} of {users.length}
          </p>
          <Button variant="secondary" size="sm" disabled={isLast} onClick={() => turn(1)}>
            Next
            <ChevronRight aria-hidden className="size-4" />
          </Button>
        </nav>
      )}
    </div>
  );
}

export function filterUsers(users: UserCard[], { filter, search }: Wanted): UserCard[] {
  const wanted = search.trim().toLowerCase();
  return users.filter((user) => filters[filter].includes(user) && textOf(user).includes(wanted));
}

const textOf = ({ username, email, payment_proof }: UserCard): string =>
  `${username}\n${email}\n${payment_proof?.sender_name ?? ""}`.toLowerCase();

export const countUsers = (users: UserCard[]) => ({
  all: users.length,
  pending: users.filter(filters.pending.includes).length,
  proof: users.filter(filters.proof.includes).length,
});
