import type { UserCard } from "@shared/contract/account.ts";
import { useEffect, useRef, useState } from "react";
import { type LiveEvent, onLiveEvent } from "../../../lib/realtime/events.ts";
import { applyToUser } from "../admin-state.ts";

/** What is open about one row of the table. */
export interface OpenedRow {
  kind: "more" | "revoke";
  user: UserCard;
  row: HTMLElement;
}

/** The open row. It keeps its place while it is open, also once the list no longer has its user. */
export function useOpenedRow(users: readonly UserCard[]) {
  const [opened, setOpened] = useState<OpenedRow | null>(null);
  const index = users.findIndex(({ username }) => username === opened?.user.username);
  const place = useRef(0);
  useEffect(() => {
    if (index >= 0) place.current = index;
  }, [index]);
  useEffect(() => onLiveEvent((event) => setOpened((now) => now && follow(now, event))), []);
  const hasLeft = opened !== null && index < 0;
  const shown = hasLeft ? users.toSpliced(place.current, 0, opened.user) : users;
  return { opened, setOpened, shown };
}

/** Null once the user is deleted. */
function follow(opened: OpenedRow, event: LiveEvent): OpenedRow | null {
  const user = applyToUser(opened.user, event);
  if (user === opened.user) return opened;
  return user && { ...opened, user };
}
