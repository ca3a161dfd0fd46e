import { Toast } from "@base-ui/react/toast";
import { X } from "lucide-react";
import { useEffect } from "react";
import { type ToastMessage, takeToasts, useToasts } from "./show-toast.ts";

const toastManager = Toast.createToastManager();
const SHOWN_MS = 8_000;

/** One fewer than fit, so that the answer to what the user does is always in view. */
const MAX_EVENTS = 2;
const SHOWN_AT_ONCE = 3;

/** The newest messages about events, oldest first. */
const eventIds: string[] = [];

function add({ title, description, action, isEvent, shownMs, onClose, until }: ToastMessage): void {
  if (until?.aborted) return;
  const onClick = () => {
    action?.run();
    close();
  };
  const id = toastManager.add({
    title,
    timeout: shownMs ?? SHOWN_MS,
    ...(description && { description }),
    ...(action && { actionProps: { children: action.label, onClick } }),
    ...(onClose && { onClose }),
  });
  const close = () => toastManager.close(id);
  if (isEvent) makeRoomForEvent(id);
  until?.addEventListener("abort", close);
}

function makeRoomForEvent(id: string): void {
  eventIds.push(id);
  if (eventIds.length > MAX_EVENTS) toastManager.close(eventIds.shift());
}

/** A message in a hidden tab would disappear unseen. */
function addWaiting(): void {
  if (document.visibilityState === "visible") takeToasts().forEach(add);
}

export function Toaster() {
  useEffect(() => {
    addWaiting();
    document.addEventListener("visibilitychange", addWaiting);
    const stop = useToasts.subscribe(addWaiting);
    return () => {
      stop();
      document.removeEventListener("visibilitychange", addWaiting);
    };
  }, []);
  return (
    <Toast.Provider toastManager={toastManager} limit={SHOWN_AT_ONCE}>
      <Toast.Portal>
        <Toast.Viewport className="fixed right-4 bottom-(--toast-bottom) left-4 z-50 flex flex-col gap-3 sm:left-auto sm:w-96">
          <Toasts />
        </Toast.Viewport>
      </Toast.Portal>
    </Toast.Provider>
  );
}

/** The library makes every toast a dialog, but no answer is needed. */
const noDialog = { role: "group", "aria-modal": undefined } as const;

function Toasts() {
  const { toasts } = Toast.useToastManager();
  return toasts.map((toast) => (
    <Toast.Root
      key={toast.id}
      toast={toast}
      {...noDialog}
      swipeDirection="right"
      className="rounded-card border border-line-strong bg-raised p-4 shadow-float transition-[opacity,transform] duration-200 data-ending-style:opacity-0 data-limited:hidden data-starting-style:translate-y-2 data-starting-style:opacity-0"
    >
      <Toast.Content className="flex items-start gap-3">
        <div className="min-w-0 flex-1 text-sm">
          <Toast.Title className="font-medium" />
          <Toast.Description className="mt-0.5 text-ink-muted" />
        </div>
        <Toast.Action className="rounded-lg px-2 py-1 text-sm font-medium text-accent hover:text-accent-strong" />
        <Toast.Close
          aria-label="Dismiss"
          // The library hides it while toasts are stacked.
          aria-hidden={false}
          className="rounded-lg p-1 text-ink-faint transition-colors hover:text-ink"
        >
          <X aria-hidden className="size-4" />
        </Toast.Close>
      </Toast.Content>
    </Toast.Root>
  ));
}
