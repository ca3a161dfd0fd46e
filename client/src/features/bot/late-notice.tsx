import { Notice } from "../../ui/notice.tsx";
import { botTexts } from "./texts.ts";

/** Says that an answer takes longer than it should, though the work goes on. */
export function LateNotice() {
  return (
    <Notice tone="warning" role="alert" title={botTexts.lateTitle}>
      {botTexts.late}
    </Notice>
  );
}
