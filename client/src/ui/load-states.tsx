import type { UseInfiniteQueryResult, UseQueryResult } from "@tanstack/react-query";
import type { LucideIcon } from "lucide-react";
import type { ReactNode } from "react";
import { Alert } from "./alert.tsx";
import { Button } from "./button.tsx";

interface LoadErrorProps {
  title: string;
  error?: Error;
  busy?: boolean;
  onRetry(): unknown;
}

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
  failed: string;
  /** Shows an error above data that could not be read again. */
  saysWhenStale?: boolean;
  skeleton: ReactNode;
  children(data: Data): ReactNode;
}

/** Shows the data of a query, or a skeleton or an error while there is none. */
export function QueryView<Data>({ query, failed, children, ...view }: QueryViewProps<Data>) {
  const { data, error, isFetching, refetch } = query;
  const hasData = data !== undefined;
  if (!hasData && !error) return <Loading>{view.skeleton}</Loading>;
  return (
    <>
      {error && (!hasData || view.saysWhenStale) && (
        <LoadError title={failed} error={error} busy={isFetching} onRetry={refetch} />
      )}
      {hasData && children(data)}
    </>
  );
}

const Loading = ({ children }: { children: ReactNode }) => (
  <div role="status" aria-label="Loading">
    {children}
  </div>
);

interface NextPageProps {
  query: UseInfiniteQueryResult;
  failed: string;
  showsReason?: boolean;
  skeleton: ReactNode;
  children: string;
}

/** The end of a list that is read page by page: a button for the next page, a skeleton or an error. */
export function NextPage({ query, failed, showsReason, skeleton, children }: NextPageProps) {
  const { data, error, fetchNextPage } = query;
  if (error) {
    const retry = data === undefined ? query.refetch : fetchNextPage;
    const reason = showsReason && { error, busy: query.isFetching };
    return <LoadError title={failed} {...reason} onRetry={() => retry()} />;
  }
  if (data === undefined) return <Loading>{skeleton}</Loading>;
  if (!query.hasNextPage) return null;
  return (
    <Button
      variant="secondary"
      busy={query.isFetchingNextPage}
      onClick={() => void fetchNextPage()}
      className="self-center"
    >
      {children}
    </Button>
  );
}

interface EmptyStateProps {
  Icon: LucideIcon;
  title: string;
  text: string;
  /** Sets the height. */
  className: string;
  children?: ReactNode;
}

export function EmptyState({ Icon, title, text, className, children }: EmptyStateProps) {
  return (
    <div
      className={`flex flex-col items-center justify-center gap-3 rounded-card border border-dashed border-line-strong p-8 text-center ${className}`}
    >
      <Icon aria-hidden className="size-9 text-ink-faint" strokeWidth={1.5} />
      <p className="text-lg font-semibold">{title}</p>
      <p className="text-ink-muted text-pretty">{text}</p>
      {children}
    </div>
  );
}
