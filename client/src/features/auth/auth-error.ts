import { ApiError, errorText } from "../../lib/api/api-error.ts";
import { authTexts } from "./texts.ts";

export interface AuthErrorText {
  /** The identity service's own code, shown beside the sentence. */
  code: string | null;
  text: string;
}

/** `auth/…`, or a code as identity services write them, e.g. `EMAIL_EXISTS`; the product's own are in small letters. */
const IDENTITY_CODE = /^(auth\/|[A-Z][A-Z_]+)/;

/** What to show of a failed login or registration: the identity code, the server's detail, the message. */
export function authErrorText(error: unknown): AuthErrorText {
  const code = error instanceof ApiError && IDENTITY_CODE.test(error.code) ? error.code : null;
  return { code, text: errorText(error, authTexts.unexpected) };
}
