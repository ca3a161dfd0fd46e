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
      <Button Icon={Bell} variant="secondary" onClick={() => void requestPermission()}>
        <span className="max-sm:sr-only">Enable notifications</span>
      </Button>
    );
  }
  if (permission !== "granted") return null;
  return (
    <Button
      Icon={off ? BellOff : BellRing}
      variant="ghost"
      aria-pressed={!off}
      onClick={() => useNotificationSettings.setState({ off: !off })}
    >
      <span className="max-sm:sr-only">{off ? "Notifications off" : "Notifications on"}</span>
    </Button>
  );
}
