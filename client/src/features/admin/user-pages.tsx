import type { UserCard } from "@shared/contract/account.ts";
import { ChevronLeft, ChevronRight } from "lucide-react";
import { useRef, useState } from "react";
import { Button } from "../../ui/button.tsx";
import { userTexts as texts } from "./texts.ts";
import { UserItem } from "./user-item.tsx";

/** Cards on one page; more would make the rest of the screen hard to reach. */
const PAGE_SIZE = 20;

/** The users page by page, so that hundreds of them stay easy to handle. */
export function UserPages({ users }: { users: UserCard[] }) {
  const [wantedPage, setPage] = useState(0);
  const top = useRef<HTMLDivElement>(null);
  const page = Math.min(wantedPage, Math.floor((users.length - 1) / PAGE_SIZE));
  const from = page * PAGE_SIZE;
  const to = Math.min(from + PAGE_SIZE, users.length);
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
        <nav aria-label={texts.pages} className="flex items-center justify-center gap-4">
          <Button variant="secondary" size="sm" disabled={page === 0} onClick={() => turn(-1)}>
            <ChevronLeft aria-hidden className="size-4" />
            {texts.previous}
          </Button>
          <p role="status" className="figures text-sm text-ink-muted">
            {texts.shown(from + 1, to, users.length)}
          </p>
          <Button
            variant="secondary"
            size="sm"
            disabled={to === users.length}
            onClick={() => turn(1)}
          >
            {texts.next}
            <ChevronRight aria-hidden className="size-4" />
          </Button>
        </nav>
      )}
    </div>
  );
}
