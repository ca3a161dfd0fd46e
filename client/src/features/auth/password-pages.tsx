import { Form } from "@base-ui/react/form";
import { actionDoneSchema } from "@shared/contract/admin.ts";
import {
  forgotPasswordRequestSchema,
  resetPasswordRequestSchema,
} from "@shared/contract/authentication.ts";
import { resetLinkSentMessage } from "@shared/contract/constants.ts";
import { Link, useSearchParams } from "react-router-dom";
import { api } from "../../lib/api/client.ts";
import { ApiError } from "../../lib/api/errors.ts";
import {
  type FormFields,
  parseForm,
  parsePasswordForm,
  useFormRequest,
} from "../../lib/api/forms.ts";
import { Alert, ErrorAlert } from "../../ui/alert.tsx";
import { Button, buttonClass, TextLink } from "../../ui/button.tsx";
import { NarrowPage } from "../../ui/narrow-page.tsx";
import { usePageDescription } from "../../ui/page-heading.tsx";
import { NewPasswordFields, TextField } from "../../ui/text-field.tsx";

const uselessLinks = {
  expired: {
    title: "This link does not work",
    text: "This link has expired or was already used. Links are valid for one hour.",
  },
  incomplete: {
    title: "This link is incomplete",
    text: "Open the link in the email again, or copy the whole link into the address bar.",
  },
} as const;

/** Shows the same message for known and unknown addresses. */
export function ForgotPasswordPage() {
  const { formProps, isPending, reply, problem, reset } = useFormRequest(askForReset);
  const lead = "Enter your email address and we'll send you a link to reset your password.";
  usePageDescription("Reset the password of your AI Trading Bot account.");
  return (
    <NarrowPage title="Forgot password" lead={reply === undefined ? lead : undefined}>
      {reply === undefined ? (
        <Form {...formProps} className="flex flex-col gap-5">
          <TextField
            name="email"
            label="Email"
            inputMode="email"
            autoComplete="email"
            autoCapitalize="none"
            spellCheck={false}
            aria-required
          />
          <ErrorAlert message={problem && `Error: ${problem.message}`} />
          <Button type="submit" size="lg" busy={isPending}>
            {isPending ? "Sending..." : "Send reset link"}
          </Button>
        </Form>
      ) : (
        <>
          <Alert tone="success" role="status">
            <span className="break-words">{reply}</span>
          </Alert>
          <Button variant="secondary" onClick={reset}>
            Use another address
          </Button>
        </>
      )}
      <p className="text-center text-sm">
        <TextLink to="/login">Back to login</TextLink>
      </p>
    </NarrowPage>
  );
}

export function ResetPasswordPage() {
  const [parameters] = useSearchParams();
  const token = parameters.get("token");
  usePageDescription("Set a new password for your AI Trading Bot account.");
  return token ? <ResetPassword key={token} token={token} /> : <UselessLink kind="incomplete" />;
}

function ResetPassword({ token }: { token: string }) {
  const { formProps, isPending, reply, problem } = useFormRequest((form) => {
    const body = parsePasswordForm(resetPasswordRequestSchema, { ...form, token });
    return api({ method: "POST", path: "/reset-password", body, schema: actionDoneSchema });
  });
  if (reply) return <Done />;
  if (problem instanceof ApiError && problem.code === "invalid-token") {
    return <UselessLink kind="expired" />;
  }
  return (
    <NarrowPage
      title="Set a new password"
      lead="Choose a new password. You will be signed out on all devices."
    >
      <Form {...formProps} className="flex flex-col gap-5">
        <NewPasswordFields />
        <ErrorAlert message={problem?.message} />
        <Button type="submit" size="lg" busy={isPending}>
          {isPending ? "Saving..." : "Set new password"}
        </Button>
      </Form>
    </NarrowPage>
  );
}

function Done() {
  return (
    <NarrowPage title="Password changed">
      <Alert tone="success" role="status">
        You have been signed out on all devices. Log in with your new password.
      </Alert>
      <Link to="/login" className={buttonClass({ size: "lg" })}>
        Login
      </Link>
    </NarrowPage>
  );
}

function UselessLink({ kind }: { kind: "expired" | "incomplete" }) {
  return (
    <NarrowPage title={uselessLinks[kind].title}>
      <Alert tone="warning" role="alert">
        {uselessLinks[kind].text}
      </Alert>
      <Link to="/forgot-password" className={buttonClass({ size: "lg" })}>
        Request a new link
      </Link>
    </NarrowPage>
  );
}

async function askForReset(form: FormFields): Promise<string> {
  const body = parseForm(forgotPasswordRequestSchema, form);
  await api({ method: "POST", path: "/forgot-password", body, schema: actionDoneSchema });
  return resetLinkSentMessage(body.email);
}
