import { Button } from "../../ui/button.tsx";
import { Notice } from "../../ui/notice.tsx";
import { ledgerTexts as texts } from "./texts.ts";

export function LoadError({ onAgain }: { onAgain(): void }) {
  return (
    <Notice tone="error" role="alert">
      <div className="flex flex-wrap items-center justify-between gap-3">
        <span className="text-ink">{texts.failed}</span>
        <Button variant="secondary" onClick={onAgain}>
          {texts.tryAgain}
        </Button>
      </div>
    </Notice>
  );
}
