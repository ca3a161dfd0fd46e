import { Bell, BellOff, BellRing } from "lucide-react";
import { allowNotices, setNotices, useNoticeSettings } from "../../lib/notices/notice-settings.ts";
import { Button } from "../../ui/button.tsx";
import { noticeTexts as texts } from "./texts.ts";

/** Has the browser tell of finished signals while the page is out of view; nothing where it cannot, or must not. */
export function NoticesButton() {
  const { permission, off } = useNoticeSettings();
  if (permission === "default") {
    return (
      <Button variant="secondary" onClick={() => void allowNotices()}>
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
