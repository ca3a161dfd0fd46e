import type { Me } from "@shared/contract/account.ts";
import type { Notification } from "@shared/contract/events.ts";
import { useQuery } from "@tanstack/react-query";
import { Bell } from "lucide-react";
import { useEffect, useMemo, useState } from "react";
import { useLocation } from "react-router-dom";
import { useMe } from "../domain/me.ts";
import { signalKeys } from "../features/signals/apply-event.ts";
import { queryClient } from "../lib/query-client.ts";
import { onLiveEvent } from "../lib/realtime/events.ts";
import { buttonClass } from "../ui/button.tsx";
import { lazyComponent, usePreload } from "../ui/lazy-component.tsx";
import {
  applyNotificationEvent,
  isUnread,
  markSeen,
  notificationsQuery,
  saveSeen,
} from "./notifications.ts";
import { showsSignals } from "./unseen.ts";

/** Loaded when it is first opened. */
const NotificationCenter = lazyComponent(
  () => import("./notification-center.tsx"),
  "NotificationCenter",
);

const MAX_SHOWN = 99;

export function NotificationBell() {
  const me = useMe();
  const [open, setOpen] = useState<boolean>();
  usePreload(NotificationCenter);
  const unread = useUnreadCount(me);
  return (
    <>
      <button
        type="button"
        aria-label={unread > 0 ? `Notifications, ${unread} unread` : "Notifications"}
        aria-haspopup="dialog"
        aria-expanded={open ?? false}
        onClick={() => setOpen(true)}
        className={`${buttonClass({ variant: "ghost" })} relative px-2.5`}
      >
        <Bell aria-hidden className="size-5" />
        {unread > 0 && (
          <span
            aria-hidden
            className="figures absolute top-0.5 right-0 flex h-4.5 min-w-4.5 items-center justify-center rounded-full bg-accent px-1 text-xs font-semibold text-on-accent"
          >
            {Math.min(unread, MAX_SHOWN)}
          </span>
        )}
      </button>
      <span role="status" className="sr-only">
        {unread > 0 && `${unread} unread ${unread === 1 ? "notification" : "notifications"}`}
      </span>
      {me && open !== undefined && <NotificationCenter open={open} onOpenChange={setOpen} />}
    </>
  );
}

/**
 * On a user's first visit, and for a new administrator, all that happened before counts as seen. Results that a visible
 * screen shows by itself are seen at once.
 */
function useUnreadCount(me: Me | undefined): number {
  const { pathname } = useLocation();
  const { data } = useQuery({ ...notificationsQuery, enabled: me !== undefined });
  const seen = data?.seen;
  const unread = useMemo(
    () => (seen && data?.notifications.filter((item) => isUnread(item, seen))) ?? [],
    [data, seen],
  );
  const positions = data && me?.stream_positions;
  const isNew =
    positions !== undefined &&
    (!seen || (positions.admins !== undefined && seen.admins === undefined));
  useEffect(() => {
    if (isNew) saveSeen({ ...positions, ...seen });
  }, [isNew, positions, seen]);
  useEffect(() => {
    if (unread.length === 0 || !unread.every((item) => isShown(item, pathname))) return;
    const markShown = () => {
      if (document.visibilityState === "visible") markSeen(unread);
    };
    markShown();
    document.addEventListener("visibilitychange", markShown);
    return () => document.removeEventListener("visibilitychange", markShown);
  }, [pathname, unread]);
  useEffect(() => onLiveEvent(applyNotificationEvent), []);
  return unread.length;
}

function isShown(item: Notification, pathname: string): boolean {
  switch (item.name) {
    case "signal:completed":
    case "signal:failed":
      return showsSignals(pathname, item.data.origin) || showsTrade(pathname, item.data.signal_id);
    case "signal:filled":
    case "signal:entry-left":
    case "signal:outcome":
      return pathname === "/signal-history" || showsTrade(pathname, item.data.signal_id);
    default:
      return false;
  }
}

/** Whether a screen follows this trade: its own page, or that of the bot, which reads how it goes on. */
const showsTrade = (pathname: string, id: string): boolean =>
  pathname === `/signals/${id}` ||
  queryClient
    .getQueryCache()
    .find({ queryKey: signalKeys.progress(id) })
    ?.isActive() === true;
