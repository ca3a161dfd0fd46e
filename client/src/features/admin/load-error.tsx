import { errorText } from "../../lib/api/api-error.ts";
import { Button } from "../../ui/button.tsx";
import { Notice } from "../../ui/notice.tsx";
import { adminTexts } from "./texts.ts";

interface LoadErrorProps {
  title: string;
  error: Error;
  busy: boolean;
  onAgain(): void;
}

/** Says that something could not be read, why, and offers to try again. */
export function LoadError({ title, error, busy, onAgain }: LoadErrorProps) {
  return (
    <Notice tone="error" role="alert" title={title}>
      <div className="flex flex-wrap items-center justify-between gap-3">
        <span>{errorText(error, "")}</span>
        <Button variant="secondary" size="sm" busy={busy} onClick={onAgain}>
          {adminTexts.tryAgain}
        </Button>
      </div>
    </Notice>
  );
}
