import { changePasswordRequestSchema } from "@shared/contract/account.ts";
import { type ActionDone, actionDoneSchema } from "@shared/contract/admin.ts";
import { api } from "../../lib/api/client.ts";
import { type FormFields, parsePasswordForm } from "../../lib/api/forms.ts";

/** Changes the password, and ends every session but this one. */
export async function changePassword(form: FormFields): Promise<ActionDone> {
  const body = parsePasswordForm(changePasswordRequestSchema, form);
  return api({ method: "POST", path: "/change-password", body, schema: actionDoneSchema });
}

/** Has a new verification link sent. */
export const resendVerification = (): Promise<ActionDone> =>
  api({ method: "POST", path: "/resend-verification", schema: actionDoneSchema });

/** Confirms an address by the token of a mail's link, which works once. */
export const verifyEmail = (token: string): Promise<ActionDone> =>
  api({ method: "POST", path: "/verify-email", body: { token }, schema: actionDoneSchema });
