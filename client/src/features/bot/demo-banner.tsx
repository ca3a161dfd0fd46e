import { Notice } from "../../ui/notice.tsx";
import { botTexts } from "./texts.ts";
import { useStatus } from "./use-status.ts";

/** Says what a signal would be made from as long as that is not live data and an AI model. */
export function DemoBanner() {
  const { data: status } = useStatus();
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
