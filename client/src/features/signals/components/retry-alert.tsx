import { Alert } from "../../../ui/alert.tsx";
import { Button } from "../../../ui/button.tsx";

/** Reports that something could not be loaded. */
export function RetryAlert({ text, onRetry }: { text: string; onRetry(): void }) {
  return (
    <Alert tone="error" role="alert">
      <div className="flex flex-wrap items-center justify-between gap-3">
        <span className="text-ink">{text}</span>
        <Button variant="secondary" onClick={onRetry}>
          Try again
        </Button>
      </div>
    </Alert>
  );
}
