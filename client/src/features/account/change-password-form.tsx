import { Form } from "@base-ui/react/form";
import { useFormRequest } from "../../lib/api/use-form-request.ts";
import { useLive } from "../../lib/live/live-store.ts";
import { Button } from "../../ui/button.tsx";
import { Card } from "../../ui/card.tsx";
import { NewPasswordFields } from "../../ui/new-password-fields.tsx";
import { Notice } from "../../ui/notice.tsx";
import { PasswordField } from "../../ui/password-field.tsx";
import { changePassword } from "./account-api.ts";
import { changePasswordError } from "./change-password-error.ts";
import { passwordTexts as texts } from "./texts.ts";

export function ChangePasswordForm() {
  const username = useLive((live) => live.account?.username ?? "");
  const { formProps, isPending, reply, problem } = useFormRequest(changePassword);
  return (
    <Card className="flex flex-col gap-5 p-6 sm:p-8">
      <h2 className="text-xl font-semibold tracking-tight">{texts.title}</h2>
      <Form {...formProps} className="flex max-w-md flex-col gap-5">
        {/* Tells password managers whose password this is. */}
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
          label={texts.current}
          autoComplete="current-password"
        />
        <NewPasswordFields />
        <p className="text-sm leading-relaxed text-ink-muted text-pretty">{texts.sessions}</p>
        {problem && <ChangePasswordProblem error={problem} />}
        {reply && (
          <Notice tone="success" role="status" title={texts.doneTitle}>
            {texts.done}
          </Notice>
        )}
        <Button type="submit" size="lg" busy={isPending} className="self-start">
          {isPending ? texts.busy : texts.submit}
        </Button>
      </Form>
    </Card>
  );
}

function ChangePasswordProblem({ error }: { error: Error }) {
  const { text, reason } = changePasswordError(error);
  return (
    <Notice tone="error" role="alert">
      <p>{text}</p>
      {reason && <p className="mt-1 text-ink-faint">{reason}</p>}
    </Notice>
  );
}
