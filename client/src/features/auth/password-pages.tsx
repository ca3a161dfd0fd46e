import { Form } from "@base-ui/react/form";
import {
  forgotPasswordRequestSchema,
  resetPasswordRequestSchema,
} from "@shared/contract/account.ts";
import { type ActionDone, actionDoneSchema } from "@shared/contract/admin.ts";
import { resetLinkSentMessage } from "@shared/contract/messages.ts";
import { Link, useSearchParams } from "react-router-dom";
import { api } from "../../lib/api/client.ts";
import { ApiError, errorText } from "../../lib/api/errors.ts";
import {
  type FormFields,
  parseForm,
  parsePasswordForm,
  useFormRequest,
} from "../../lib/api/forms.ts";
import { Alert } from "../../ui/alert.tsx";
import { Button, buttonClass, TextLink } from "../../ui/button.tsx";
import { NarrowPage } from "../../ui/narrow-page.tsx";
import { usePageDescription } from "../../ui/page-heading.tsx";
import { NewPasswordFields, TextField } from "../../ui/text-field.tsx";
import { forgotMessages, resetMessages } from "./messages.ts";

/** Sends a link that sets a new password; says the same for known and unknown addresses. */
export function ForgotPasswordPage() {
  const { formProps, isPending, reply, problem, reset } = useFormRequest(askForReset);
  usePageDescription(forgotMessages.description);
  return (
    <NarrowPage
      title={forgotMessages.title}
      lead={reply === undefined ? forgotMessages.lead : undefined}
    >
      {reply === undefined ? (
        <Form {...formProps} className="flex flex-col gap-5">
          <TextField
            name="email"
            label={forgotMessages.email}
            inputMode="email"
            autoComplete="email"
            autoCapitalize="none"
            spellCheck={false}
            aria-required
          />
          {problem && (
            <Alert tone="error" role="alert">
              {forgotMessages.failed(errorText(problem, forgotMessages.unexpected))}
            </Alert>
          )}
          <Button type="submit" size="lg" busy={isPending}>
            {isPending ? forgotMessages.busy : forgotMessages.submit}
          </Button>
        </Form>
      ) : (
        <>
          <Alert tone="success" role="status">
            <span className="break-words">{reply}</span>
          </Alert>
          <Button variant="secondary" onClick={reset}>
            {forgotMessages.again}
          </Button>
        </>
      )}
      <p className="text-center text-sm">
        <TextLink to="/login">{forgotMessages.toLogin}</TextLink>
      </p>
    </NarrowPage>
  );
}

/** Where the link of a reset mail leads. */
export function ResetPasswordPage() {
  const [parameters] = useSearchParams();
  const token = parameters.get("token");
  usePageDescription(resetMessages.description);
  return token ? <ResetPassword key={token} token={token} /> : <UselessLink kind="incomplete" />;
}

function ResetPassword({ token }: { token: string }) {
  const send = (form: FormFields) => resetPassword(token, form);
  const { formProps, isPending, reply, problem } = useFormRequest(send);
  if (reply) return <Done />;
  if (isUselessLink(problem)) return <UselessLink kind="expired" />;
  return (
    <NarrowPage title={resetMessages.title} lead={resetMessages.lead}>
      <Form {...formProps} className="flex flex-col gap-5">
        <NewPasswordFields />
        {problem && (
          <Alert tone="error" role="alert">
            {errorText(problem, resetMessages.failed)}
          </Alert>
        )}
        <Button type="submit" size="lg" busy={isPending}>
          {isPending ? resetMessages.busy : resetMessages.submit}
        </Button>
      </Form>
    </NarrowPage>
  );
}

const isUselessLink = (problem: unknown): boolean =>
  problem instanceof ApiError && problem.code === "invalid-token";

function Done() {
  return (
    <NarrowPage title={resetMessages.doneTitle}>
      <Alert tone="success" role="status">
        {resetMessages.done}
      </Alert>
      <Link to="/login" className={buttonClass({ size: "lg" })}>
        {resetMessages.toLogin}
      </Link>
    </NarrowPage>
  );
}

function UselessLink({ kind }: { kind: "expired" | "incomplete" }) {
  return (
    <NarrowPage title={resetMessages[`${kind}Title`]}>
      <Alert tone="warning" role="alert">
        {resetMessages[kind]}
      </Alert>
      <Link to="/forgot-password" className={buttonClass({ size: "lg" })}>
        {resetMessages.newLink}
      </Link>
    </NarrowPage>
  );
}

/** Asks for a reset link; resolves to the sentence that says where it has gone, if anywhere. */
export async function askForReset(form: FormFields): Promise<string> {
  const body = parseForm(forgotPasswordRequestSchema, form);
  await api({ method: "POST", path: "/forgot-password", body, schema: actionDoneSchema });
  return resetLinkSentMessage(body.email);
}

/** Sets a new password by the token of a mail's link. */
export async function resetPassword(token: string, form: FormFields): Promise<ActionDone> {
  const body = parsePasswordForm(resetPasswordRequestSchema, { ...form, token });
  return api({ method: "POST", path: "/reset-password", body, schema: actionDoneSchema });
}
