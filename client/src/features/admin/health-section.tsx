import {
  type ProviderReport,
  queueTicketSchema,
  type SystemHealth,
  type SystemProblem,
  type WorkerReport,
} from "@shared/contract/admin.ts";
import { useMutation } from "@tanstack/react-query";
import { CircleCheck, CircleX, ExternalLink, TriangleAlert } from "lucide-react";
import { api } from "../../lib/api/client.ts";
import { apiOrigin } from "../../lib/env.ts";
import { formatDuration } from "../../lib/format.ts";
import { Button } from "../../ui/button.tsx";
import { Card, Skeleton } from "../../ui/card.tsx";
import { ColumnHeadings } from "../../ui/column-headings.tsx";
import { QueryView } from "../../ui/load-states.tsx";
import { LocalTime } from "../../ui/local-time.tsx";
import { failureToast } from "../../ui/show-toast.ts";
import { AdminSection, Metric } from "./admin-section.tsx";
import { useHealth } from "./api.ts";
import { ModelCard, needsAttention, sentence } from "./model-card.tsx";

const failureLabels = {
  unreachable: "Not reachable",
  "unknown-symbol": "Unknown symbol",
  "rate-limited": "Rate limit",
  refused: "Refused",
  nonsense: "Invalid response",
  timeout: "Timeout",
} as const;

const analystLabels = { openai: "AI analyst", rules: "Rule-based analyst" } as const;

const marketDataLabels = { live: "Live data", replay: "Demo data" } as const;

export function HealthSection() {
  const query = useHealth();
  return (
    <AdminSection
      id="health"
      title="System health"
      lead="Live status of the queue, workers and data providers."
      action={<OpenQueueButton />}
    >
      <QueryView
        query={query}
        failed="Failed to load system health."
        saysWhenStale
        skeleton={<Skeleton className="h-76 rounded-card" />}
      >
        {(health) => (
          <>
            <Overview health={health} isStale={query.isError} />
            {health.models.map((report) => (
              <ModelCard key={`${report.address} ${report.model}`} report={report} />
            ))}
            {health.workers.map((worker) => (
              <WorkerCard key={worker.id} worker={worker} nowMs={Date.parse(health.checked_at)} />
            ))}
          </>
        )}
      </QueryView>
    </AdminSection>
  );
}

/** `down`: no signals are made. `degraded`: signals are made, but something needs attention. */
const healthStatuses = {
  ok: { label: "All systems operational", Icon: CircleCheck, color: "text-buy", box: "bg-buy/8" },
  degraded: {
    label: "Degraded performance",
    Icon: TriangleAlert,
    color: "text-wait",
    box: "bg-wait-glow/8",
  },
  down: { label: "Major outage", Icon: CircleX, color: "text-danger", box: "bg-danger/8" },
} as const;

function Overview({ health, isStale }: { health: SystemHealth; isStale: boolean }) {
  const { status, problems } = summarizeHealth(health);
  const { label, Icon, color, box } = healthStatuses[status];
  return (
    <Card className="overflow-clip">
      <div className={`flex gap-3 px-4 py-4 sm:px-5 ${box}`}>
        <Icon aria-hidden className={`mt-0.5 size-6 shrink-0 ${color}`} />
        <div className="min-w-0 flex-1">
          <p role="status" className="text-lg font-semibold tracking-tight">
            {label}
          </p>
          <p className="figures text-sm text-ink-muted">
            {isStale ? "Stale. Last updated" : "Checked"} <LocalTime iso={health.checked_at} />
            {" · "}
            Version {health.server.version}
          </p>
          <ul className="mt-3 flex flex-col gap-2 text-sm empty:hidden">
            {problems.map(({ title, text }) => (
              <li key={title} className="text-pretty">
                <span className="font-medium">{title}.</span>{" "}
                <span className="text-ink-muted">{text}</span>
              </li>
            ))}
          </ul>
        </div>
      </div>
      <Metrics health={health} />
    </Card>
  );
}

function Metrics({ health: { queue, workers, server, prices } }: { health: SystemHealth }) {
  const { waiting, running, oldest_waiting_seconds } = queue;
  const metrics = [
    { label: "Workers", value: workers.length, tone: workers.length ? "" : "text-danger" },
    { label: "Waiting", value: waiting },
    { label: "Running", value: running },
    {
      label: "Oldest waiting",
      value: waiting > 0 ? formatDuration(oldest_waiting_seconds * 1_000) : "–",
    },
    server.event_feed === "running"
      ? { label: "Event feed", value: "Running" }
      : { label: "Event feed", value: "Interrupted", tone: "text-wait" },
    {
      label: "Live prices",
      value: `${prices.websocket} live, ${prices.polling + prices.fallback} polled`,
      tone: prices.fallback > 0 ? "text-wait" : "",
    },
  ];
  return (
    <dl className="grid grid-cols-2 gap-px border-t border-line bg-line sm:grid-cols-3 xl:grid-cols-6">
      {metrics.map(({ label, value, tone = "" }) => (
        <Metric key={label} label={label} className={`sm:px-5 ${tone}`}>
          {value}
        </Metric>
      ))}
    </dl>
  );
}

function WorkerCard({ worker, nowMs }: { worker: WorkerReport; nowMs: number }) {
  const since = (iso: string) => formatDuration(nowMs - Date.parse(iso));
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
          No live data providers in use.
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
      <ColumnHeadings columns={providerColumns} className="text-left text-xs text-ink-faint" />
      <tbody>
        {worker.providers.map((provider) => (
          <ProviderRow key={provider.provider} report={provider} since={since} />
        ))}
      </tbody>
    </table>
  );
}

const providerColumns = {
  Provider: "py-2 pl-4 sm:pl-5",
  State: "py-2",
  "Last success": "hidden py-2 sm:table-cell",
  "Last failure": "py-2 pr-4 sm:pr-5",
};

const providerStates = {
  ok: { label: "Working", dot: "bg-buy", color: "" },
  failing: { label: "Failing", dot: "bg-wait", color: "text-wait" },
  resting: { label: "Paused", dot: "bg-danger", color: "text-danger" },
  unused: { label: "No requests yet", dot: "bg-line-strong", color: "text-ink-muted" },
} as const;

function ProviderRow({ report, since }: { report: ProviderReport; since(iso: string): string }) {
  const { provider, state, last_success_at, last_failure, paused_until } = report;
  const isUnused = state === "ok" && last_success_at === null && last_failure === null;
  const { label, dot, color } = providerStates[isUnused ? "unused" : state];
  return (
    <tr className="border-t border-line">
      <th scope="row" className="py-2.5 pl-4 text-left font-medium sm:pl-5">
        {provider}
      </th>
      <td className={`py-2.5 ${color}`}>
        <span className="flex items-center gap-2">
          <span aria-hidden className={`size-2 shrink-0 rounded-full ${dot}`} />
          {label}
          {paused_until && (
            <span>
              until <LocalTime iso={paused_until} />
            </span>
          )}
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
    mutationFn: openQueue,
    onError: failureToast("Failed to open the queue"),
  });
  // The tab must be opened synchronously, or the browser blocks it as a pop-up.
  const onClick = () => open.mutate(window.open("about:blank", "_blank"));
  return (
    <Button
      Icon={ExternalLink}
      variant="secondary"
      size="sm"
      busy={open.isPending}
      onClick={onClick}
    >
      Open the queue
      <span className="sr-only">{" (opens in a new tab)"}</span>
    </Button>
  );
}

async function openQueue(tab: Window | null): Promise<void> {
  if (!tab)
    throw new Error("Your browser blocked the new tab. Allow pop-ups for this site and try again.");
  try {
    const { ticket } = await api({
      method: "POST",
      path: "/admin/queue/ticket",
      schema: queueTicketSchema,
    });
    tab.opener = null;
    openWithTicket(tab.document, ticket);
  } catch (error) {
    tab.close();
    throw error;
  }
}

/** Sends the ticket in a form, so that it is in no address, and the server learns which page it comes from. */
function openWithTicket(page: Document, ticket: string): void {
  const form = page.createElement("form");
  form.method = "post";
  form.action = `${apiOrigin}/admin/queue/`;
  const field = page.createElement("input");
  Object.assign(field, { type: "hidden", name: "ticket", value: ticket });
  form.append(field);
  page.body.append(form);
  form.submit();
}

interface HealthSummary {
  status: keyof typeof healthStatuses;
  problems: { title: string; text: string }[];
}

export function summarizeHealth(health: SystemHealth): HealthSummary {
  const problems = health.problems.map((problem) => describeProblem(problem, health));
  if (health.problems.includes("no-worker")) return { status: "down", problems };
  return { status: problems.length > 0 ? "degraded" : "ok", problems };
}

function describeProblem(problem: SystemProblem, { queue, workers, models }: SystemHealth) {
  if (problem === "backlog") {
    const duration = formatDuration(queue.oldest_waiting_seconds * 1_000);
    const text = `Oldest signal waiting: ${duration}. Add workers or increase concurrency.`;
    return { title: problemTitles.backlog, text };
  }
  if (problem === "provider-failing") {
    const reports = workers.flatMap(({ providers }) => providers);
    const failing = reports.filter(({ state }) => state !== "ok");
    const names = [...new Set(failing.map(({ provider }) => provider))].join(", ");
    const text = "Signals use another provider as long as one has the candles.";
    return { title: `Failing: ${names}`, text };
  }
  if (problem === "model") {
    const { fault, notices = [] } = models.find(needsAttention) ?? {};
    const [text = ""] = [...(fault ? [sentence(fault.detail)] : []), ...notices];
    return { title: problemTitles.model, text };
  }
  return { title: problemTitles[problem], text: problemTexts[problem] };
}

const problemTexts = {
  "no-worker": "Signals are not being processed and will time out. Start a worker.",
  "feed-interrupted": "Live updates from this server are delayed.",
  "price-feed-lost": "Prices are polled every few seconds until its WebSocket is back.",
} as const;

export const problemTitles: Record<SystemProblem, string> = {
  "no-worker": "No active workers",
  "feed-interrupted": "The event feed is interrupted",
  backlog: "Signals are waiting",
  "provider-failing": "A data provider is failing",
  "price-feed-lost": "Live prices of an exchange are lost",
  model: "The AI model needs attention",
};
