import { Form } from "@base-ui/react/form";
import { Link, useSearchParams } from "react-router-dom";
import { ApiError, errorText } from "../../lib/api/api-error.ts";
import type { FormFields } from "../../lib/api/parse-form.ts";
import { useFormRequest } from "../../lib/api/use-form-request.ts";
import { Button } from "../../ui/button.tsx";
import { buttonClass } from "../../ui/button-class.ts";
import { NarrowPage } from "../../ui/narrow-page.tsx";
import { NewPasswordFields } from "../../ui/new-password-fields.tsx";
import { Notice } from "../../ui/notice.tsx";
import { usePageDescription } from "../../ui/use-page-description.ts";
import { resetPassword } from "./password-api.ts";
import { resetTexts as texts } from "./texts.ts";

/** Where the link of a reset mail leads. */
export function ResetPasswordPage() {
  const [parameters] = useSearchParams();
  const token = parameters.get("token");
  usePageDescription(texts.description);
  return token ? <ResetPassword key={token} token={token} /> : <UselessLink kind="incomplete" />;
}

function ResetPassword({ token }: { token: string }) {
  const send = (form: FormFields) => resetPassword(token, form);
  const { formProps, isPending, reply, problem } = useFormRequest(send);
  if (reply) return <Done />;
  if (isUselessLink(problem)) return <UselessLink kind="expired" />;
  return (
    <NarrowPage title={texts.title} lead={texts.lead}>
      <Form {...formProps} className="flex flex-col gap-5">
        <NewPasswordFields />
        {problem && (
          <Notice tone="error" role="alert">
            {errorText(problem, texts.failed)}
          </Notice>
        )}
        <Button type="submit" size="lg" busy={isPending}>
          {isPending ? texts.busy : texts.submit}
        </Button>
      </Form>
    </NarrowPage>
  );
}

const isUselessLink = (problem: unknown): boolean =>
  problem instanceof ApiError && problem.code === "invalid-token";

function Done() {
  return (
    <NarrowPage title={texts.doneTitle}>
      <Notice tone="success" role="status">
        {texts.done}
      </Notice>
      <Link to="/login" className={buttonClass({ size: "lg" })}>
        {texts.toLogin}
      </Link>
    </NarrowPage>
  );
}

function UselessLink({ kind }: { kind: "expired" | "incomplete" }) {
  return (
    <NarrowPage title={texts[`${kind}Title`]}>
      <Notice tone="warning" role="alert">
        {texts[kind]}
      </Notice>
      <Link to="/forgot-password" className={buttonClass({ size: "lg" })}>
        {texts.newLink}
      </Link>
    </NarrowPage>
  );
}
