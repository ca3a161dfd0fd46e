import { ApiError } from "../../lib/api/api-error.ts";
import { historyTexts, serverErrorText } from "./texts.ts";

/** What is shown when the history cannot be read. */
export function historyErrorText(error: unknown): string {
  if (!(error instanceof ApiError)) return historyTexts.unreachable;
  if (error.isTimeout) return historyTexts.timeout;
  if (error.status >= 400) return serverErrorText(error.status, error.statusText);
  return historyTexts.unreachable;
}
