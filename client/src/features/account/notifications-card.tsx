import { Bell } from "lucide-react";
import { playChime } from "../../lib/notices/chime.ts";
import { allowNotices, setNotices, useNoticeSettings } from "../../lib/notices/notice-settings.ts";
import { useSession } from "../../lib/session.ts";
import { Button } from "../../ui/button.tsx";
import { Card } from "../../ui/card.tsx";
import { Notice } from "../../ui/notice.tsx";
import { SwitchField } from "../../ui/switch-field.tsx";
import { noticeTexts as texts } from "./texts.ts";

/** Whether this browser tells of signals while the page is out of view, and with a sound. */
export function NotificationsCard() {
  const permission = useNoticeSettings((settings) => settings.permission);
  const isAdmin = useSession((session) => session.isAdmin);
  return (
    <Card className="flex flex-col gap-4 p-6">
      <div>
        <h2 className="text-lg font-semibold tracking-tight">{texts.title}</h2>
        <p className="mt-1 text-sm leading-relaxed text-ink-muted text-pretty">
          {isAdmin ? texts.adminLead : texts.lead}
        </p>
      </div>
      {permission === "default" && (
        <Button variant="secondary" className="self-start" onClick={() => void allowNotices()}>
          <Bell aria-hidden className="size-4" />
          {texts.allow}
        </Button>
      )}
      {permission === "granted" && <Switches />}
      {permission === "denied" && (
        <Notice tone="warning" title={texts.deniedTitle}>
          {texts.denied}
        </Notice>
      )}
      {permission === "unsupported" && <Notice tone="info">{texts.unsupported}</Notice>}
    </Card>
  );
}

function Switches() {
  const { off, muted } = useNoticeSettings();
  const setSound = (on: boolean) => {
    setNotices({ muted: !on });
    if (on) void playChime();
  };
  return (
    <div className="flex flex-col gap-4 border-t border-line pt-4">
      <SwitchField
        label={texts.show}
        checked={!off}
        onChange={(checked) => setNotices({ off: !checked })}
      />
      <SwitchField
        label={texts.sound}
        hint={texts.soundHint}
        checked={!muted}
        disabled={off}
        onChange={setSound}
      />
    </div>
  );
}
