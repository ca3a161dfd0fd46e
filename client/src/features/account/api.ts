import { changePasswordRequestSchema } from "@shared/contract/account.ts";
import { type ActionDone, actionDoneSchema } from "@shared/contract/admin.ts";
import { api } from "../../lib/api/client.ts";
import { type FormFields, parsePasswordForm } from "../../lib/api/forms.ts";

const post = (path: string, body?: object): Promise<ActionDone> =>
  api({ method: "POST", path, body, schema: actionDoneSchema });

/** Changes the password, and ends every session but this one. */
export async function changePassword(form: FormFields): Promise<ActionDone> {
  return post("/change-password", parsePasswordForm(changePasswordRequestSchema, form));
}

/** Has a new verification link sent. */
export const resendVerification = (): Promise<ActionDone> => post("/resend-verification");

/** Confirms an address by the token of a mail's link, which works once. */
export const verifyEmail = (token: string): Promise<ActionDone> => post("/verify-email", { token });
