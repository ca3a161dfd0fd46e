import { useQuery } from "@tanstack/react-query";
import { Link } from "react-router-dom";
import { OutcomeBadge } from "../../../ui/outcome-badge.tsx";
import { progressQuery } from "../api.ts";

export function ResultFollow({ id, isTrade }: { id: string; isTrade: boolean }) {
  const { data } = useQuery({ ...progressQuery(id), enabled: isTrade });
  return (
    <div className="flex items-center justify-between gap-4 border-t border-line pt-5">
      {isTrade ? <OutcomeBadge outcome={data?.judgement?.outcome} /> : <span />}
      <Link
        to={`/signals/${id}`}
        className="rounded font-medium text-accent underline-offset-4 hover:underline"
      >
        Open
      </Link>
    </div>
  );
}
