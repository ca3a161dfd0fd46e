import type { SystemHealth } from "@shared/contract/health.ts";
import { CircleCheck, CircleX, type LucideIcon, TriangleAlert } from "lucide-react";
import { formatDuration } from "../../lib/format.ts";
import { Card } from "../../ui/card.tsx";
import { LocalTime } from "../../ui/local-time.tsx";
import { Skeleton } from "../../ui/skeleton.tsx";
import { useHealth } from "./admin-queries.ts";
import { AdminSection } from "./admin-section.tsx";
import { judgeHealth, type Problem, type Verdict } from "./judge-health.ts";
import { LoadError } from "./load-error.tsx";
import { OpenQueueButton } from "./open-queue-button.tsx";
import { adminTexts, healthTexts as texts } from "./texts.ts";
import { WorkerItem } from "./worker-item.tsx";

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

const looks: Record<Verdict, { Icon: LucideIcon; color: string; box: string }> = {
  ok: { Icon: CircleCheck, color: "text-buy", box: "bg-buy/8" },
  degraded: { Icon: TriangleAlert, color: "text-wait", box: "bg-wait-glow/8" },
  down: { Icon: CircleX, color: "text-danger", box: "bg-danger/8" },
};

function Overview({ health, isStale }: { health: SystemHealth; isStale: boolean }) {
  const { verdict, problems } = judgeHealth(health);
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
    <div role="status" aria-label={adminTexts.loading} className="flex flex-col gap-4">
      <Skeleton className="h-40 rounded-card" />
      <Skeleton className="h-32 rounded-card" />
    </div>
  );
}
