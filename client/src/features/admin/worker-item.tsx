import type { ProviderReport, WorkerReport } from "@shared/contract/health.ts";
import { formatDuration } from "../../lib/format.ts";
import { Card } from "../../ui/card.tsx";
import { healthTexts as texts } from "./texts.ts";

interface WorkerItemProps {
  worker: WorkerReport;
  /** The server's time of the report, Unix milliseconds. */
  now: number;
}

/** One worker: since when it runs, what it uses, and how its providers are. */
export function WorkerItem({ worker, now }: WorkerItemProps) {
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

const looks = {
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
      <td className={`py-2.5 ${looks[state].word}`}>
        <span className="flex items-center gap-2">
          <span aria-hidden className={`size-2 shrink-0 rounded-full ${looks[state].dot}`} />
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
