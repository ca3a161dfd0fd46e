import { Form } from "@base-ui/react/form";
import { changePasswordRequestSchema } from "@shared/contract/account-requests.ts";
import { type ActionDone, actionDoneSchema } from "@shared/contract/admin.ts";
import { MIN_ADMIN_PASSWORD_LENGTH } from "@shared/contract/constants.ts";
import { MESSAGES } from "@shared/contract/messages.ts";
import { api } from "../../lib/api/client.ts";
import { ApiError } from "../../lib/api/errors.ts";
import { type FormFields, parsePasswordForm, useFormRequest } from "../../lib/api/forms.ts";
import { useMe } from "../../lib/me.ts";
import { useSession } from "../../lib/session.ts";
import { Alert } from "../../ui/alert.tsx";
import { Button } from "../../ui/button.tsx";
import { Card } from "../../ui/card.tsx";
import { NewPasswordFields, PasswordField } from "../../ui/text-field.tsx";

export function ChangePasswordForm() {
  const username = useMe()?.username ?? "";
  const isAdmin = useSession((session) => session.isAdmin);
  const { formProps, isPending, reply, problem } = useFormRequest(changePassword);
  const failure = problem && changePasswordError(problem);
  return (
    <Card className="flex flex-col gap-5 p-6 sm:p-8">
      <h2 className="text-xl font-semibold tracking-tight">Change password</h2>
      <Form {...formProps} className="flex max-w-md flex-col gap-5">
        {/* For password managers. */}
        <input
          type="text"
          name="username"
          autoComplete="username"
          value={username}
          readOnly
          hidden
        />
        <PasswordField
          name="current_password"
          label="Current password"
          autoComplete="current-password"
        />
        <NewPasswordFields {...(isAdmin && { minLength: MIN_ADMIN_PASSWORD_LENGTH })} />
        <p className="text-sm leading-relaxed text-ink-muted text-pretty">
          Changing your password signs you out on all other devices and browsers.
        </p>
        {failure && (
          <Alert tone="error" role="alert">
            <p>{failure.text}</p>
            {failure.reason && <p className="mt-1 text-ink-faint">{failure.reason}</p>}
          </Alert>
        )}
        {reply && (
          <Alert tone="success" role="status" title="Password changed">
            You have been signed out on all other devices and browsers.
          </Alert>
        )}
        <Button type="submit" size="lg" busy={isPending} className="self-start">
          {isPending ? "Changing..." : "Change password"}
        </Button>
      </Form>
    </Card>
  );
}

async function changePassword(form: FormFields): Promise<ActionDone> {
  const body = parsePasswordForm(changePasswordRequestSchema, form);
  return api({ method: "POST", path: "/change-password", body, schema: actionDoneSchema });
}

/** Codes set by the client when the server did not answer. */
const NOT_THE_SERVERS = ["network", "timeout", "bad-reply", "unknown"];

export function changePasswordError(error: Error): { text: string; reason: string | null } {
  if (!(error instanceof ApiError)) return { text: MESSAGES.wrongPassword, reason: null };
  const { code, message } = error;
  if (!NOT_THE_SERVERS.includes(code)) return { text: message, reason: null };
  return { text: MESSAGES.wrongPassword, reason: message };
}
