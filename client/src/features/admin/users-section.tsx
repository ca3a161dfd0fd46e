import { useDeferredValue, useMemo, useState } from "react";
import { Button } from "../../ui/button.tsx";
import { Skeleton } from "../../ui/skeleton.tsx";
import { useUsers } from "./admin-queries.ts";
import { AdminSection } from "./admin-section.tsx";
import { filterUsers, type UserFilter } from "./filter-users.ts";
import { LoadError } from "./load-error.tsx";
import { adminTexts, userTexts as texts } from "./texts.ts";
import { UserFilters } from "./user-filters.tsx";
import { UserPages } from "./user-pages.tsx";

/** All users, to be searched and acted on. */
export function UsersSection() {
  const query = useUsers();
  return (
    <AdminSection id="users" title={texts.title}>
      {query.error && !query.data && (
        <LoadError
          title={texts.loadFailed}
          error={query.error}
          busy={query.isFetching}
          onAgain={() => void query.refetch()}
        />
      )}
      {!query.error && !query.data && <UsersSkeleton />}
      {query.data && <UserBrowser users={query.data.users} />}
    </AdminSection>
  );
}

type Users = NonNullable<ReturnType<typeof useUsers>["data"]>["users"];

const everybody = { filter: "all", search: "" } as const;

function UserBrowser({ users }: { users: Users }) {
  const [wanted, setWanted] = useState<{ filter: UserFilter; search: string }>(everybody);
  const search = useDeferredValue(wanted.search);
  const { filter } = wanted;
  const found = useMemo(() => filterUsers(users, { filter, search }), [users, filter, search]);
  return (
    <>
      <UserFilters users={users} wanted={wanted} onChange={setWanted} />
      {found.length === 0 ? (
        <div className="flex flex-col items-center gap-4 rounded-card border border-dashed border-line-strong px-6 py-14 text-center">
          <p role="status" className="text-ink-muted">
            {users.length === 0 ? texts.empty : texts.noMatch}
          </p>
          {users.length > 0 && (
            <Button variant="secondary" onClick={() => setWanted(everybody)}>
              {texts.showAll}
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
    <div role="status" aria-label={adminTexts.loading} className="flex flex-col gap-4">
      <Skeleton className="h-11 w-full max-w-md" />
      <div className="grid gap-4 xl:grid-cols-2">
        <Skeleton className="h-80 rounded-card" />
        <Skeleton className="h-80 rounded-card" />
        <Skeleton className="h-80 rounded-card" />
        <Skeleton className="h-80 rounded-card" />
      </div>
    </div>
  );
}
