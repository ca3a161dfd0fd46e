import { changePasswordRequestSchema } from "@shared/contract/account.ts";
import { type ActionDone, actionDoneSchema } from "@shared/contract/admin.ts";
import { api } from "../../lib/api/client.ts";
import { type FormFields, parsePasswordForm } from "../../lib/api/forms.ts";

export async function changePassword(form: FormFields): Promise<ActionDone> {
  const body = parsePasswordForm(changePasswordRequestSchema, form);
  return api({ method: "POST", path: "/change-password", body, schema: actionDoneSchema });
}

export const resendVerification = (): Promise<ActionDone> =>
  api({ method: "POST", path: "/resend-verification", schema: actionDoneSchema });

export const verifyEmail = (token: string): Promise<ActionDone> =>
  api({ method: "POST", path: "/verify-email", body: { token }, schema: actionDoneSchema });
