import { ApiError } from "../../lib/api/api-error.ts";
import { passwordTexts } from "./texts.ts";

export interface ChangePasswordError {
  text: string;
  /** What else is known where the server itself has said nothing. */
  reason: string | null;
}

/** Codes that the client gives to what is no answer of the server. */
const NOT_THE_SERVERS = ["network", "timeout", "bad-reply", "unknown"];

/** What to show of a password that was not changed: the server's detail, or the fixed text with the reason. */
export function changePasswordError(error: Error): ChangePasswordError {
  if (!(error instanceof ApiError)) return { text: passwordTexts.failed, reason: null };
  const { code, detail } = error;
  if (!NOT_THE_SERVERS.includes(code)) return { text: detail, reason: null };
  return { text: passwordTexts.failed, reason: detail };
}
