import { signalSinceSchema } from "@shared/contract/signal-page.ts";
import { useQuery } from "@tanstack/react-query";
import { Link } from "react-router-dom";
import { api } from "../../../lib/api/client.ts";
import { useRealtime } from "../../../lib/realtime/store.ts";
import { OutcomeBadge } from "../../../ui/outcome-badge.tsx";

const OPEN = "Open";

const judgedSchema = signalSinceSchema.pick({ judgement: true });

/** Leads to what becomes of a finished signal, and says it as soon as the market has judged. */
export function ResultFollow({ id, isTrade }: { id: string; isTrade: boolean }) {
  const told = useRealtime((live) => live.outcomes[id]);
  const read = useQuery({
    queryKey: ["judgement", id],
    queryFn: ({ signal }) =>
      api({ path: "/signals/:id/since", params: { id }, schema: judgedSchema, signal }),
    enabled: isTrade && !told,
  });
  return (
    <div className="flex items-center justify-between gap-4 border-t border-line pt-5">
      {isTrade ? <OutcomeBadge outcome={told ?? read.data?.judgement?.outcome} /> : <span />}
      <Link
        to={`/signals/${id}`}
        className="rounded font-medium text-accent underline-offset-4 hover:underline"
      >
        {OPEN}
      </Link>
    </div>
  );
}
