import type { SharedFrom } from "@shared/contract/resolution.ts";
import { formatDateTime } from "../../lib/format.ts";

/** When visitors of a link see the rest of an open trade. */
export const whenShown = (from: SharedFrom): string =>
  from === "outcome" || from === "now"
    ? "once the trade has ended"
    : `from ${formatDateTime(from)} on`;
