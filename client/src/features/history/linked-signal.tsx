import { ArrowLeft } from "lucide-react";
import { Link } from "react-router-dom";
import { ApiError } from "../../lib/api/api-error.ts";
import { Notice } from "../../ui/notice.tsx";
import { Skeleton } from "../../ui/skeleton.tsx";
import { historyErrorText } from "./history-error.ts";
import { SignalCard } from "./signal-card.tsx";
import { historyTexts, linkTexts as texts } from "./texts.ts";
import { useLinkedSignal } from "./use-linked-signal.ts";

/** One signal of the history, on its own. */
export function LinkedSignal({
  id,
  history,
}: {
  id: string;
  history: Parameters<typeof useLinkedSignal>[1];
}) {
  const { item, error } = useLinkedSignal(id, history);
  return (
    <>
      <Link
        to="/signal-history"
        className="inline-flex items-center gap-1.5 self-start rounded text-sm font-medium text-accent hover:text-accent-strong"
      >
        <ArrowLeft aria-hidden className="size-4" />
        {texts.back}
      </Link>
      {item && <SignalCard item={item} />}
      {!item && !error && (
        <div role="status" aria-label={historyTexts.loading}>
          <Skeleton className="h-52 rounded-card" />
        </div>
      )}
      {!item && error && (
        <Notice tone="error" role="alert">
          {isUnknown(error) ? texts.unknown : historyErrorText(error)}
        </Notice>
      )}
    </>
  );
}

const isUnknown = (error: Error) => error instanceof ApiError && error.status === 404;
