import { MESSAGES } from "@shared/contract/messages.ts";
import { ApiError } from "../../lib/api/errors.ts";

export function historyErrorText(error: unknown): string {
  if (!(error instanceof ApiError)) return UNREACHABLE;
  if (error.isTimeout) return MESSAGES.requestTimeout;
  if (error.status < 400) return UNREACHABLE;
  return `Server error: ${error.status} ${error.statusText}`.trim();
}

const UNREACHABLE = "Failed to connect to the backend API.";
