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
import { adminMessages, healthMessages as texts } from "./messages.ts";

/** How the system is: a verdict, the queue, and each worker with its providers. Refreshes by itself. */
export function HealthSection() {
  const { data, error, isFetching, refetch } = useHealth();
  return (
    <AdminSection id="health" title={texts.title} lead={texts.lead} action={<OpenQueueButton />}>
      <div className="flex flex-col gap-4">
        {error && (
          <LoadError
            title={texts.loadFailed}
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
            {texts.verdicts[verdict]}
          </p>
          <p className="figures text-sm text-ink-muted">
            {isStale ? texts.stale : texts.checked} <LocalTime iso={health.checked_at} />
            {" · "}
            {texts.version} {health.server.version}
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
      return { title: texts.noWorker, lead: texts.noWorkerLead };
    case "feed":
      return { title: texts.feedDown, lead: texts.feedDownLead };
    case "backlog": {
      const lead = texts.backlogLead(formatDuration(problem.seconds * 1_000));
      return { title: texts.backlog, lead };
    }
    case "providers":
      return {
        title: texts.providersDown(problem.names.join(", ")),
        lead: texts.providersDownLead,
      };
  }
}

function Figures({ health: { queue, workers, server } }: { health: SystemHealth }) {
  const { waiting, running, oldest_waiting_seconds } = queue;
  const oldest = waiting > 0 ? formatDuration(oldest_waiting_seconds * 1_000) : texts.none;
  const isDown = server.event_feed === "interrupted";
  return (
    <dl className="grid grid-cols-2 gap-px border-t border-line bg-line sm:grid-cols-3 xl:grid-cols-5">
      <Figure
        label={texts.workers}
        value={workers.length}
        tone={workers.length ? "" : "text-danger"}
      />
      <Figure label={texts.waiting} value={waiting} />
      <Figure label={texts.running} value={running} />
      <Figure label={texts.oldest} value={oldest} />
      <Figure
        label={texts.feed}
        value={texts.feedStates[server.event_feed]}
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
    <div role="status" aria-label={adminMessages.loading} className="flex flex-col gap-4">
      <Skeleton className="h-40 rounded-card" />
      <Skeleton className="h-32 rounded-card" />
    </div>
  );
}

interface WorkerItemProps {
  worker: WorkerReport;
  /** The server's time of the report, Unix milliseconds. */
  now: number;
}

/** One worker: since when it runs, what it uses, and how its providers are. */
function WorkerItem({ worker, now }: WorkerItemProps) {
  const since = (iso: string) => formatDuration(now - Date.parse(iso));
  const facts = [
    texts.marketData[worker.market_data],
    texts.analyst[worker.analyst],
    texts.capacity(worker.concurrency),
    texts.up(since(worker.started_at)),
    texts.seen(since(worker.seen_at)),
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
          {texts.noProviders}
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
      <caption className="sr-only">{texts.providersOf(worker.id)}</caption>
      <thead className="text-left text-xs text-ink-faint">
        <tr>
          <th scope="col" className="py-2 pl-4 font-medium sm:pl-5">
            {texts.provider}
          </th>
          <th scope="col" className="py-2 font-medium">
            {texts.state}
          </th>
          <th scope="col" className="hidden py-2 font-medium sm:table-cell">
            {texts.lastSuccess}
          </th>
          <th scope="col" className="py-2 pr-4 font-medium sm:pr-5">
            {texts.lastFailure}
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
          {texts.states[state]}
        </span>
      </td>
      <td className="hidden py-2.5 text-ink-muted sm:table-cell">
        {last_success_at ? texts.ago(since(last_success_at)) : texts.never}
      </td>
      <td className="py-2.5 pr-4 text-ink-muted sm:pr-5">
        {last_failure ? (
          <>
            {texts.failures[last_failure.failure]}
            <span className="block text-xs text-ink-faint sm:inline">
              {" "}
              {texts.ago(since(last_failure.at))}
            </span>
          </>
        ) : (
          texts.never
        )}
      </td>
    </tr>
  );
}

/** Opens the page of the job queue, which belongs to the host of the API, in a new tab. */
function OpenQueueButton() {
  const open = useMutation({
    mutationFn: leadToQueue,
    onError: (error) => showToast({ title: texts.openQueueFailed, description: reasonOf(error) }),
  });
  // Only what a click opens at once is not taken for an unwanted window, so the tab is there before its address.
  const onClick = () => open.mutate(window.open("about:blank", "_blank"));
  return (
    <Button variant="secondary" size="sm" busy={open.isPending} onClick={onClick}>
      {!open.isPending && <ExternalLink aria-hidden className="size-4" />}
      {texts.openQueue}
      <span className="sr-only">{texts.inNewTab}</span>
    </Button>
  );
}

async function leadToQueue(tab: Window | null): Promise<void> {
  if (!tab) throw new Error(texts.popupBlocked);
  try {
    const { ticket } = await getQueueTicket();
    tab.opener = null;
    tab.location.replace(`${apiOrigin}/admin/queue/?${new URLSearchParams({ ticket })}`);
  } catch (error) {
    tab.close();
    throw error;
  }
}

/** Longer than that, a signal waits only where the workers do not keep up; in seconds. */
const BACKLOG_SECONDS = 20;

/** `down`: no signal is made; `degraded`: signals are made, but something needs to be looked at. */
type HealthStatus = "ok" | "degraded" | "down";

/** Something that is wrong, the worst first. */
type Problem =
  | { kind: "no-worker" }
  | { kind: "feed" }
  | { kind: "backlog"; seconds: number }
  | { kind: "providers"; names: string[] };

/** What there is to say of a system at a glance. */
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

/** Providers that fail for at least one worker, each once. */
const namesInTrouble = (providers: ProviderReport[]): string[] => [
  ...new Set(providers.filter(({ state }) => state !== "ok").map(({ provider }) => provider)),
];
