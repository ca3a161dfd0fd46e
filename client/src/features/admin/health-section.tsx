import type { ProviderReport, SystemHealth, WorkerReport } from "@shared/contract/admin.ts";
import { useMutation } from "@tanstack/react-query";
import { CircleCheck, CircleX, ExternalLink, type LucideIcon, TriangleAlert } from "lucide-react";
import { apiOrigin } from "../../lib/env.ts";
import { formatDuration } from "../../lib/format.ts";
import { Button } from "../../ui/button.tsx";
import { Card, Skeleton } from "../../ui/card.tsx";
import { LocalTime } from "../../ui/local-time.tsx";
import { showToast } from "../../ui/show-toast.ts";
import { AdminSection, LoadError } from "./admin-section.tsx";
import { getQueueTicket, reasonOf, useHealth } from "./api.ts";

const failureLabels = {
  unreachable: "Not reachable",
  "unknown-symbol": "Unknown symbol",
  "rate-limited": "Rate limit",
  refused: "Refused",
  nonsense: "Invalid response",
  timeout: "Timeout",
} as const;

const stateLabels = {
  ok: "Working",
  failing: "Failing",
  resting: "Paused",
  unused: "No requests yet",
} as const;

const analystLabels = { openai: "AI analyst", rules: "Rule-based analyst" } as const;

const marketDataLabels = { live: "Live data", replay: "Demo data" } as const;

const feedStates = { running: "Running", interrupted: "Interrupted" } as const;

export const statusLabels: Record<HealthStatus, string> = {
  ok: "All systems operational",
  degraded: "Degraded performance",
  down: "Major outage",
};

export function HealthSection() {
  const { data, error, isFetching, refetch } = useHealth();
  return (
    <AdminSection
      id="health"
      title="System health"
      lead="Live status of the queue, workers and data providers."
      action={<OpenQueueButton />}
    >
      <div className="flex flex-col gap-4">
        {error && (
          <LoadError
            title="Failed to load system health."
            error={error}
            busy={isFetching}
            onAgain={() => void refetch()}
          />
        )}
        {data && <Overview health={data} isStale={error !== null} />}
        {data?.workers.map((worker) => (
          <WorkerItem key={worker.id} worker={worker} now={Date.parse(data.checked_at)} />
        ))}
        {!data && !error && <HealthSkeleton />}
      </div>
    </AdminSection>
  );
}

const looks: Record<HealthStatus, { Icon: LucideIcon; color: string; box: string }> = {
  ok: { Icon: CircleCheck, color: "text-buy", box: "bg-buy/8" },
  degraded: { Icon: TriangleAlert, color: "text-wait", box: "bg-wait-glow/8" },
  down: { Icon: CircleX, color: "text-danger", box: "bg-danger/8" },
};

function Overview({ health, isStale }: { health: SystemHealth; isStale: boolean }) {
  const { verdict, problems } = summarizeHealth(health);
  const { Icon, color, box } = looks[verdict];
  return (
    <Card className="overflow-clip">
      <div className={`flex gap-3 px-4 py-4 sm:px-5 ${box}`}>
        <Icon aria-hidden className={`mt-0.5 size-6 shrink-0 ${color}`} />
        <div className="min-w-0 flex-1">
          <p role="status" className="text-lg font-semibold tracking-tight">
            {statusLabels[verdict]}
          </p>
          <p className="figures text-sm text-ink-muted">
            {isStale ? "Stale. Last updated" : "Checked"} <LocalTime iso={health.checked_at} />
            {" · "}
            Version {health.server.version}
          </p>
          <Problems problems={problems} />
        </div>
      </div>
      <Figures health={health} />
    </Card>
  );
}

function Problems({ problems }: { problems: Problem[] }) {
  return (
    <ul className="mt-3 flex flex-col gap-2 text-sm empty:hidden">
      {problems.map((problem) => {
        const { title, lead } = problemText(problem);
        return (
          <li key={problem.kind} className="text-pretty">
            <span className="font-medium">{title}.</span>{" "}
            <span className="text-ink-muted">{lead}</span>
          </li>
        );
      })}
    </ul>
  );
}

function problemText(problem: Problem): { title: string; lead: string } {
  switch (problem.kind) {
    case "no-worker":
      return {
        title: "No active workers",
        lead: "Signals are not being processed and will time out. Start a worker.",
      };
    case "feed":
      return {
        title: "The event feed is interrupted",
        lead: "Live updates from this server are delayed.",
      };
    case "backlog": {
      const lead = `Oldest signal waiting: ${formatDuration(problem.seconds * 1_000)}. Add workers or increase concurrency.`;
      return { title: "Signals are waiting", lead };
    }
    case "providers":
      return {
        title: `Failing: ${problem.names.join(", ")}`,
        lead: "Signals use another provider as long as one has the candles.",
      };
  }
}

function Figures({ health: { queue, workers, server } }: { health: SystemHealth }) {
  const { waiting, running, oldest_waiting_seconds } = queue;
  const oldest = waiting > 0 ? formatDuration(oldest_waiting_seconds * 1_000) : "–";
  const isDown = server.event_feed === "interrupted";
  return (
    <dl className="grid grid-cols-2 gap-px border-t border-line bg-line sm:grid-cols-3 xl:grid-cols-5">
      <Figure label="Workers" value={workers.length} tone={workers.length ? "" : "text-danger"} />
      <Figure label="Waiting" value={waiting} />
      <Figure label="Running" value={running} />
      <Figure label="Oldest waiting" value={oldest} />
      <Figure
        label="Event feed"
        value={feedStates[server.event_feed]}
        tone={isDown ? "text-wait" : ""}
      />
    </dl>
  );
}

function Figure({
  label,
  value,
  tone = "",
}: {
  label: string;
  value: string | number;
  tone?: string;
}) {
  return (
    <div className="bg-surface px-4 py-3 last:max-sm:col-span-2 sm:px-5 sm:last:max-xl:col-span-2">
      <dt className="text-sm text-ink-muted">{label}</dt>
      <dd className={`figures mt-0.5 text-lg font-semibold tracking-tight ${tone}`}>{value}</dd>
    </div>
  );
}

function HealthSkeleton() {
  return (
    <div role="status" aria-label="Loading" className="flex flex-col gap-4">
      <Skeleton className="h-40 rounded-card" />
      <Skeleton className="h-32 rounded-card" />
    </div>
  );
}

interface WorkerItemProps {
  worker: WorkerReport;
  now: number;
}

function WorkerItem({ worker, now }: WorkerItemProps) {
  const since = (iso: string) => formatDuration(now - Date.parse(iso));
  const facts = [
    marketDataLabels[worker.market_data],
    analystLabels[worker.analyst],
    `Concurrency: ${worker.concurrency}`,
    `up for ${since(worker.started_at)}`,
    `seen ${since(worker.seen_at)} ago`,
  ];
  return (
    <Card>
      <header className="px-4 py-3.5 sm:px-5">
        <h3 className="flex items-center gap-2 font-medium">
          <span aria-hidden className="size-2 shrink-0 rounded-full bg-buy" />
          <span className="min-w-0 truncate">{worker.id}</span>
        </h3>
        <ul className="figures mt-1 flex flex-wrap gap-x-4 gap-y-0.5 text-sm text-ink-muted">
          {facts.map((fact) => (
            <li key={fact}>{fact}</li>
          ))}
        </ul>
      </header>
      {worker.providers.length === 0 ? (
        <p className="border-t border-line px-4 py-3 text-sm text-ink-faint sm:px-5">
          Uses no live provider.
        </p>
      ) : (
        <Providers worker={worker} since={since} />
      )}
    </Card>
  );
}

function Providers({ worker, since }: { worker: WorkerReport; since(iso: string): string }) {
  return (
    <table className="figures w-full border-t border-line text-sm">
      <caption className="sr-only">Providers of {worker.id}</caption>
      <thead className="text-left text-xs text-ink-faint">
        <tr>
          <th scope="col" className="py-2 pl-4 font-medium sm:pl-5">
            Provider
          </th>
          <th scope="col" className="py-2 font-medium">
            State
          </th>
          <th scope="col" className="hidden py-2 font-medium sm:table-cell">
            Last success
          </th>
          <th scope="col" className="py-2 pr-4 font-medium sm:pr-5">
            Last failure
          </th>
        </tr>
      </thead>
      <tbody>
        {worker.providers.map((provider) => (
          <ProviderRow key={provider.provider} report={provider} since={since} />
        ))}
      </tbody>
    </table>
  );
}

const providerLooks = {
  ok: { dot: "bg-buy", word: "" },
  failing: { dot: "bg-wait", word: "text-wait" },
  resting: { dot: "bg-danger", word: "text-danger" },
  unused: { dot: "bg-line-strong", word: "text-ink-muted" },
} as const;

function ProviderRow({ report, since }: { report: ProviderReport; since(iso: string): string }) {
  const { provider, last_success_at, last_failure } = report;
  const wasAsked = last_success_at !== null || last_failure !== null;
  const state = wasAsked ? report.state : "unused";
  return (
    <tr className="border-t border-line">
      <th scope="row" className="py-2.5 pl-4 text-left font-medium sm:pl-5">
        {provider}
      </th>
      <td className={`py-2.5 ${providerLooks[state].word}`}>
        <span className="flex items-center gap-2">
          <span
            aria-hidden
            className={`size-2 shrink-0 rounded-full ${providerLooks[state].dot}`}
          />
          {stateLabels[state]}
        </span>
      </td>
      <td className="hidden py-2.5 text-ink-muted sm:table-cell">
        {last_success_at ? `${since(last_success_at)} ago` : "Never"}
      </td>
      <td className="py-2.5 pr-4 text-ink-muted sm:pr-5">
        {last_failure ? (
          <>
            {failureLabels[last_failure.failure]}
            <span className="block text-xs text-ink-faint sm:inline">
              {" "}
              {since(last_failure.at)} ago
            </span>
          </>
        ) : (
          "Never"
        )}
      </td>
    </tr>
  );
}

function OpenQueueButton() {
  const open = useMutation({
    mutationFn: leadToQueue,
    onError: (error) =>
      showToast({ title: "Failed to open the queue", description: reasonOf(error) }),
  });
  // The tab must be opened synchronously, or the browser blocks it as a pop-up.
  const onClick = () => open.mutate(window.open("about:blank", "_blank"));
  return (
    <Button variant="secondary" size="sm" busy={open.isPending} onClick={onClick}>
      {!open.isPending && <ExternalLink aria-hidden className="size-4" />}
      Open the queue
      <span className="sr-only">{" (opens in a new tab)"}</span>
    </Button>
  );
}

async function leadToQueue(tab: Window | null): Promise<void> {
  if (!tab)
    throw new Error("Your browser blocked the new tab. Allow pop-ups for this site and try again.");
  try {
    const { ticket } = await getQueueTicket();
    tab.opener = null;
    tab.location.replace(`${apiOrigin}/admin/queue/?${new URLSearchParams({ ticket })}`);
  } catch (error) {
    tab.close();
    throw error;
  }
}

/** Longer waits mean that the workers do not keep up. */
const BACKLOG_SECONDS = 20;

/** `down`: no signals are made. `degraded`: signals are made, but something needs attention. */
type HealthStatus = "ok" | "degraded" | "down";

type Problem =
  | { kind: "no-worker" }
  | { kind: "feed" }
  | { kind: "backlog"; seconds: number }
  | { kind: "providers"; names: string[] };

export function summarizeHealth(health: SystemHealth): {
  verdict: HealthStatus;
  problems: Problem[];
} {
  const problems = findProblems(health);
  const [worst] = problems;
  if (!worst) return { verdict: "ok", problems };
  return { verdict: worst.kind === "no-worker" ? "down" : "degraded", problems };
}

function findProblems({ workers, server, queue }: SystemHealth): Problem[] {
  const seconds = queue.oldest_waiting_seconds;
  const names = namesInTrouble(workers.flatMap((worker) => worker.providers));
  return [
    ...(workers.length === 0 ? [{ kind: "no-worker" } as const] : []),
    ...(server.event_feed === "interrupted" ? [{ kind: "feed" } as const] : []),
    ...(seconds > BACKLOG_SECONDS ? [{ kind: "backlog", seconds } as const] : []),
    ...(names.length > 0 ? [{ kind: "providers", names } as const] : []),
  ];
}

const namesInTrouble = (providers: ProviderReport[]): string[] => [
  ...new Set(providers.filter(({ state }) => state !== "ok").map(({ provider }) => provider)),
];
