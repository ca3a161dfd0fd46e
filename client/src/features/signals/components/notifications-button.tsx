import { Bell, BellOff, BellRing } from "lucide-react";
import {
  requestPermission,
  setNotices,
  useNoticeSettings,
} from "../../../lib/notifications/notification-settings.ts";
import { Button } from "../../../ui/button.tsx";
import { notificationMessages as texts } from "../bot-messages.ts";

/** Has the browser tell of finished signals while the page is out of view; nothing where it cannot, or must not. */
export function NoticesButton() {
  const { permission, off } = useNoticeSettings();
  if (permission === "default") {
    return (
      <Button variant="secondary" onClick={() => void requestPermission()}>
        <Bell aria-hidden className="size-4" />
        <span className="max-sm:sr-only">{texts.allow}</span>
      </Button>
    );
  }
  if (permission !== "granted") return null;
  const Icon = off ? BellOff : BellRing;
  return (
    <Button variant="ghost" aria-pressed={!off} onClick={() => setNotices({ off: !off })}>
      <Icon aria-hidden className="size-4" />
      <span className="max-sm:sr-only">{off ? texts.off : texts.on}</span>
    </Button>
  );
}
