import { ERROR_STATUS } from "@shared/contract/errors.ts";
import { ApiError, errorText } from "../../lib/api/api-error.ts";
import { authTexts } from "./texts.ts";

export interface AuthErrorText {
  /** The identity service's own code, shown beside the sentence. */
  code: string | null;
  text: string;
}

/** Codes that say nothing of an identity: ours, and those of what happens on the way. */
const plainCodes = new Set(["network", "bad-reply", "unknown", ...Object.keys(ERROR_STATUS)]);

const isIdentityCode = (code: string) => code.startsWith("auth/") || !plainCodes.has(code);

/** What to show of a failed login or registration: the identity code, the server's detail, the message. */
export function authErrorText(error: unknown): AuthErrorText {
  const code = error instanceof ApiError && isIdentityCode(error.code) ? error.code : null;
  return { code, text: errorText(error, authTexts.unexpected) };
}
