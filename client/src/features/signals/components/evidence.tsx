import { type EvidenceItem, evidenceSchema } from "@shared/contract/evidence.ts";
import { useQuery } from "@tanstack/react-query";
import { ChevronDown } from "lucide-react";
import { useState } from "react";
import { api } from "../../../lib/api/client.ts";
import { Card, Skeleton } from "../../../ui/card.tsx";
import { LoadError } from "../../../ui/load-states.tsx";
import { LocalTime } from "../../../ui/local-time.tsx";

/** What the analyst was given, word by word; read when it is opened. */
export function EvidenceCard({ id }: { id: string }) {
  const [isOpen, setOpen] = useState(false);
  return (
    <Card className="p-5 print:hidden">
      <details className="group" onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
        <summary className="flex cursor-pointer list-none items-center justify-between gap-4 rounded text-lg font-semibold tracking-tight">
          <h2>What the analyst was given</h2>
          <ChevronDown aria-hidden className="size-5 transition-transform group-open:rotate-180" />
        </summary>
        {isOpen && <EvidenceList id={id} />}
      </details>
    </Card>
  );
}

function EvidenceList({ id }: { id: string }) {
  const { data, error, refetch } = useQuery({
    queryKey: ["evidence", id],
    queryFn: ({ signal }) =>
      api({ path: "/signals/:id/evidence", params: { id }, schema: evidenceSchema, signal }),
    staleTime: Number.POSITIVE_INFINITY,
  });
  if (error) return <LoadError title="We couldn't load the evidence." onRetry={refetch} />;
  if (!data) return <Skeleton className="mt-4 h-16 rounded-control" count={4} />;
  if (data.items.length === 0) {
    return (
      <p className="mt-4 text-sm text-ink-muted">
        Nothing is stored: no analyst was asked, or the signal is of an earlier version.
      </p>
    );
  }
  return (
    <>
      <p className="mt-3 max-w-prose text-sm text-ink-muted text-pretty">
        In this order and in these words.{" "}
        {data.chart_image === undefined ? "Nothing" : "Apart from your chart image, nothing"} of it
        became known after the analyzed candle closed. The candles are those of the chart.
      </p>
      <ol className="mt-4 flex flex-col divide-y divide-line text-sm">
        {data.items.map((item) => (
          <Item key={item.key} item={item} />
        ))}
        {data.chart_image !== undefined && (
          <li className="flex flex-col gap-1.5 py-3">
            <Words text={data.chart_image} />
            <p className="text-xs text-ink-faint">Read from your chart image</p>
          </li>
        )}
      </ol>
    </>
  );
}

const Words = ({ text }: { text: string }) => (
  <p className="figures overflow-x-auto leading-relaxed wrap-anywhere whitespace-pre-line">
    {text}
  </p>
);

const Item = ({ item: { text, known_at, source } }: { item: EvidenceItem }) => (
  <li className="flex flex-col gap-1.5 py-3">
    <Words text={text} />
    <p className="text-xs text-ink-faint">
      {source === "none" ? (
        "No source answered"
      ) : (
        <>
          Known since <LocalTime iso={known_at} />, {source}
        </>
      )}
    </p>
  </li>
);
