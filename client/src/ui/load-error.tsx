import type { UseQueryResult } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { Alert } from "./alert.tsx";
import { Button } from "./button.tsx";

interface LoadErrorProps {
  title: string;
  /** Adds the reason below the title. */
  error?: Error;
  busy?: boolean;
  onRetry(): unknown;
}

/** Says that something could not be loaded, and offers to try again. */
export function LoadError({ title, error, busy = false, onRetry }: LoadErrorProps) {
  return (
    <Alert tone="error" role="alert" title={error && title}>
      <div className="flex flex-wrap items-center justify-between gap-3">
        {error ? <span>{error.message}</span> : <span className="text-ink">{title}</span>}
        <Button
          variant="secondary"
          size={error ? "sm" : "md"}
          busy={busy}
          onClick={() => void onRetry()}
        >
          Try again
        </Button>
      </div>
    </Alert>
  );
}

interface QueryViewProps<Data> {
  query: Pick<UseQueryResult<Data>, "data" | "error" | "isFetching" | "refetch">;
  /** Title of the error. */
  failed: string;
  skeleton: ReactNode;
  children(data: Data): ReactNode;
}

/** Shows the data of a query, or a skeleton or an error while there is none. */
export function QueryView<Data>({ query, failed, skeleton, children }: QueryViewProps<Data>) {
  const { data, error, isFetching, refetch } = query;
  if (data !== undefined) return children(data);
  if (error) return <LoadError title={failed} error={error} busy={isFetching} onRetry={refetch} />;
  return (
    <div role="status" aria-label="Loading">
      {skeleton}
    </div>
  );
}
