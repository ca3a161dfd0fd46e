import { Dialog } from "@base-ui/react/dialog";
import type { Notification, NotificationList } from "@shared/contract/events.ts";
import { useQuery } from "@tanstack/react-query";
import { BellOff, X } from "lucide-react";
import { useEffect, useState } from "react";
import { Link } from "react-router-dom";
import { buttonClass } from "../ui/button.tsx";
import { Skeleton } from "../ui/card.tsx";
import { EmptyState, LoadError } from "../ui/load-states.tsx";
import { LocalTime } from "../ui/local-time.tsx";
import { describeNotification } from "./describe-notification.ts";
import { isUnread, markSeen, notificationsQuery } from "./notifications.ts";

interface NotificationCenterProps {
  open: boolean;
  onOpenChange(open: boolean): void;
}

export function NotificationCenter({ open, onOpenChange }: NotificationCenterProps) {
  const close = () => onOpenChange(false);
  return (
    <Dialog.Root open={open} onOpenChange={onOpenChange}>
      <Dialog.Portal>
        <Dialog.Backdrop className="fixed inset-0 z-40 bg-canvas/70 backdrop-blur-sm transition-opacity duration-200 data-ending-style:opacity-0 data-starting-style:opacity-0" />
        <Dialog.Popup className="fixed inset-y-0 right-0 z-50 flex w-[min(26rem,100vw)] flex-col border-l border-line bg-surface shadow-float transition-transform duration-200 data-ending-style:translate-x-full data-starting-style:translate-x-full">
          <div className="flex items-center justify-between gap-4 border-b border-line p-4">
            <Dialog.Title className="text-lg font-semibold tracking-tight">
              Notifications
            </Dialog.Title>
            <Dialog.Close
              aria-label="Close notifications"
              className={`${buttonClass({ variant: "ghost" })} px-2`}
            >
              <X aria-hidden className="size-5" />
            </Dialog.Close>
          </div>
          <Notifications onOpen={close} />
        </Dialog.Popup>
      </Dialog.Portal>
    </Dialog.Root>
  );
}

function Notifications({ onOpen }: { onOpen(): void }) {
  const { data, error, refetch } = useQuery(notificationsQuery);
  if (!data) {
    return (
      <div className="flex flex-col gap-3 p-4">
        {error ? (
          <LoadError title="We couldn't load your notifications." onRetry={refetch} />
        ) : (
          <Skeleton className="h-16 rounded-control" count={6} />
        )}
      </div>
    );
  }
  if (data.notifications.length === 0) {
    return (
      <EmptyState
        Icon={BellOff}
        title="No notifications"
        text="Signals, outcomes and changes of your account are listed here for 7 days."
        className="m-4 min-h-64"
      />
    );
  }
  return <Items list={data} onOpen={onOpen} />;
}

/** Items that were unread when the list was opened stay marked until it is closed. */
function Items({ list, onOpen }: { list: NotificationList; onOpen(): void }) {
  const { notifications, seen } = list;
  const [seenBefore] = useState(seen);
  useEffect(() => {
    if (seen && notifications.some((item) => isUnread(item, seen))) markSeen(notifications);
  }, [notifications, seen]);
  return (
    <ol className="flex-1 divide-y divide-line overflow-y-auto overscroll-contain">
      {notifications.map((item) => (
        <li key={`${item.stream} ${item.seq}`}>
          <Item
            item={item}
            isNew={seenBefore !== null && isUnread(item, seenBefore)}
            onOpen={onOpen}
          />
        </li>
      ))}
    </ol>
  );
}

interface ItemProps {
  item: Notification;
  isNew: boolean;
  onOpen(): void;
}

function Item({ item, isNew, onOpen }: ItemProps) {
  const described = describeNotification(item);
  if (!described) return null;
  const { title, text, path } = described;
  return (
    <Link
      to={path}
      onClick={onOpen}
      className={`group/reveal flex flex-col gap-0.5 border-l-2 px-4 py-3 text-sm -outline-offset-2 transition-colors hover:bg-raised ${isNew ? "border-accent bg-accent/8" : "border-transparent"}`}
    >
      <span className="flex items-baseline justify-between gap-3">
        <span className="font-medium">
          {isNew && <span className="sr-only">New: </span>}
          {title}
        </span>
        <span className="figures shrink-0 text-xs text-ink-faint">
          <LocalTime iso={item.at} atEnd />
        </span>
      </span>
      {text !== "" && <span className="text-ink-muted">{text}</span>}
    </Link>
  );
}
