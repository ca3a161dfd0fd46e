import {
  forgotPasswordRequestSchema,
  resetPasswordRequestSchema,
} from "@shared/contract/account.ts";
import { type ActionDone, actionDoneSchema } from "@shared/contract/admin.ts";
import { resetLinkSentText } from "@shared/contract/texts.ts";
import { api } from "../../lib/api/api.ts";
import { type FormFields, parseForm, parsePasswordForm } from "../../lib/api/parse-form.ts";

/** Asks for a reset link; resolves to the sentence that says where it has gone, if anywhere. */
export async function askForReset(form: FormFields): Promise<string> {
  const body = parseForm(forgotPasswordRequestSchema, form);
  await api({ method: "POST", path: "/forgot-password", body, schema: actionDoneSchema });
  return resetLinkSentText(body.email);
}

/** Sets a new password by the token of a mail's link. */
export async function resetPassword(token: string, form: FormFields): Promise<ActionDone> {
  const body = parsePasswordForm(resetPasswordRequestSchema, { ...form, token });
  return api({ method: "POST", path: "/reset-password", body, schema: actionDoneSchema });
}
