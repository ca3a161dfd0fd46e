import { useQuery } from "@tanstack/react-query";
import { TextLink } from "../../../ui/button.tsx";
import { OutcomeBadge } from "../../../ui/outcome-badge.tsx";
import { progressQuery } from "../api.ts";

export function ResultFollow({ id, isTrade }: { id: string; isTrade: boolean }) {
  const { data } = useQuery({ ...progressQuery(id), enabled: isTrade });
  return (
    <div className="flex items-center justify-between gap-4 border-t border-line pt-5">
      {isTrade ? <OutcomeBadge outcome={data?.judgement?.outcome} /> : <span />}
      <TextLink to={`/signals/${id}`}>Open</TextLink>
    </div>
  );
}
