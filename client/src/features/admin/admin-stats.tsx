import { useMemo } from "react";
import { Skeleton } from "../../ui/skeleton.tsx";
import { useChartImages, useUsers } from "./admin-queries.ts";
import { countUsers } from "./filter-users.ts";
import { adminTexts } from "./texts.ts";

const texts = adminTexts.stats;

/** What there is to look after, in numbers. */
export function AdminStats() {
  const users = useUsers();
  const images = useChartImages();
  const list = users.data?.users;
  const counts = useMemo(() => list && countUsers(list), [list]);
  return (
    <dl className="grid grid-cols-2 gap-px overflow-hidden rounded-card border border-line bg-line lg:grid-cols-4">
      <Stat label={texts.users} value={counts?.all} failed={users.isError} />
      <Stat label={texts.pending} value={counts?.pending} failed={users.isError} highlight />
      <Stat label={texts.withProof} value={counts?.proof} failed={users.isError} />
      <Stat label={texts.images} value={images.data?.images.length} failed={images.isError} />
    </dl>
  );
}

interface StatProps {
  label: string;
  value: number | undefined;
  failed: boolean;
  /** More than none asks for something to be done. */
  highlight?: boolean;
}

function Stat({ label, value, failed, highlight = false }: StatProps) {
  const tone = highlight && value ? "text-wait" : "";
  return (
    <div className="bg-surface px-4 py-4 sm:px-5">
      <dt className="text-sm text-ink-muted">{label}</dt>
      <dd className={`figures mt-1 text-2xl font-semibold tracking-tight ${tone}`}>
        {value ?? (failed ? "–" : <Skeleton className="h-8 w-12" />)}
      </dd>
    </div>
  );
}
