import { Bell } from "lucide-react";
import { useId } from "react";
import { playChime } from "../../lib/notifications/chime.ts";
import {
  requestPermission,
  useNotificationSettings,
} from "../../lib/notifications/notification-settings.ts";
import { useSession } from "../../lib/session.ts";
import { Alert } from "../../ui/alert.tsx";
import { Button } from "../../ui/button.tsx";
import { Card } from "../../ui/card.tsx";
import { Switch } from "../../ui/switch.tsx";

/** Notifications of open tabs. */
export function OpenAppCard() {
  const permission = useNotificationSettings((settings) => settings.permission);
  const isAdmin = useSession((session) => session.isAdmin);
  return (
    <Card className="flex flex-col gap-4 p-6">
      <div>
        <h3 className="text-lg font-semibold tracking-tight">While the app is open</h3>
        <p className="mt-1 text-sm leading-relaxed text-ink-muted text-pretty">
          {isAdmin
            ? "A tab in the background notifies you of finished signals, new registrations and payment proofs. Applies to this browser."
            : "A tab in the background notifies you when a signal is ready. Applies to this browser."}
        </p>
      </div>
      {permission === "default" && (
        <Button
          Icon={Bell}
          variant="secondary"
          className="self-start"
          onClick={() => void requestPermission()}
        >
          Allow notifications
        </Button>
      )}
      {permission === "granted" && <Switches />}
      {permission === "denied" && (
        <Alert tone="warning" title="Blocked in this browser">
          Notifications are blocked. Allow them in your browser's site settings.
        </Alert>
      )}
      {permission === "unsupported" && (
        <Alert tone="info">This browser doesn't support notifications on this page.</Alert>
      )}
    </Card>
  );
}

function Switches() {
  const { off, muted } = useNotificationSettings();
  const setSound = (on: boolean) => {
    useNotificationSettings.setState({ muted: !on });
    if (on) void playChime();
  };
  return (
    <div className="flex flex-col gap-4 border-t border-line pt-4">
      <SwitchField
        label="Show notifications"
        checked={!off}
        onChange={(checked) => useNotificationSettings.setState({ off: !checked })}
      />
      <SwitchField
        label="Sound"
        hint="Play a sound with each notification."
        checked={!muted}
        disabled={off}
        onChange={setSound}
      />
    </div>
  );
}

interface SwitchFieldProps {
  label: string;
  hint?: string;
  checked: boolean;
  disabled?: boolean;
  onChange(checked: boolean): void;
}

function SwitchField({ label, hint, checked, disabled = false, onChange }: SwitchFieldProps) {
  const id = useId();
  return (
    <label
      htmlFor={id}
      className="flex cursor-pointer items-start justify-between gap-6 has-disabled:cursor-default has-disabled:opacity-60"
    >
      <span className="min-w-0">
        <span className="block text-sm font-medium">{label}</span>
        {hint && <span className="mt-0.5 block text-sm text-ink-faint text-pretty">{hint}</span>}
      </span>
      <span className="mt-0.5 flex">
        <Switch id={id} checked={checked} disabled={disabled} onChange={onChange} />
      </span>
    </label>
  );
}
