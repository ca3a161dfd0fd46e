import { changePasswordRequestSchema } from "@shared/contract/account.ts";
import { type ActionDone, actionDoneSchema } from "@shared/contract/admin.ts";
import { api } from "../../lib/api/client.ts";
import { type FormFields, parsePasswordForm } from "../../lib/api/forms.ts";

const post = (path: string, body?: object): Promise<ActionDone> =>
  api({ method: "POST", path, body, schema: actionDoneSchema });

export async function changePassword(form: FormFields): Promise<ActionDone> {
  return post("/change-password", parsePasswordForm(changePasswordRequestSchema, form));
}

export const resendVerification = (): Promise<ActionDone> => post("/resend-verification");

export const verifyEmail = (token: string): Promise<ActionDone> => post("/verify-email", { token });
