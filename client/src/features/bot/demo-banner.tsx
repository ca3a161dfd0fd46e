import { useQuery } from "@tanstack/react-query";
import { Notice } from "../../ui/notice.tsx";
import { readStatus } from "./bot-api.ts";
import { botTexts } from "./texts.ts";

const REFRESH_MS = 60_000;

/** Says what a signal would be made from as long as that is not live data and an AI model. */
export function DemoBanner() {
  const { data: status } = useQuery({
    queryKey: ["status"],
    queryFn: ({ signal }) => readStatus(signal),
    refetchInterval: REFRESH_MS,
  });
  const isReplay = status?.market_data === "replay";
  const isRules = status?.analyst === "rules";
  if (!isReplay && !isRules) return null;
  return (
    <Notice tone="warning" role="status" title={botTexts.demoTitle}>
      {isReplay && <p>{botTexts.demoReplay}</p>}
      {isRules && <p>{botTexts.demoRules}</p>}
    </Notice>
  );
}
