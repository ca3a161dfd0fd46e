import { Bell, BellOff, BellRing } from "lucide-react";
import {
  requestPermission,
  useNotificationSettings,
} from "../../../lib/notifications/notification-settings.ts";
import { Button } from "../../../ui/button.tsx";

export function NotificationsButton() {
  const { permission, off } = useNotificationSettings();
  if (permission === "default") {
    return (
      <Button variant="secondary" onClick={() => void requestPermission()}>
        <Bell aria-hidden className="size-4" />
        <span className="max-sm:sr-only">Enable notifications</span>
      </Button>
    );
  }
  if (permission !== "granted") return null;
  const Icon = off ? BellOff : BellRing;
  return (
    <Button
      variant="ghost"
      aria-pressed={!off}
      onClick={() => useNotificationSettings.setState({ off: !off })}
    >
      <Icon aria-hidden className="size-4" />
      <span className="max-sm:sr-only">{off ? "Notifications off" : "Notifications on"}</span>
    </Button>
  );
}
