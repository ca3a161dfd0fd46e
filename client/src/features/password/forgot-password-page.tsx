import { Form } from "@base-ui/react/form";
import { errorText } from "../../lib/api/api-error.ts";
import { useFormRequest } from "../../lib/api/use-form-request.ts";
import { Button } from "../../ui/button.tsx";
import { NarrowPage } from "../../ui/narrow-page.tsx";
import { Notice } from "../../ui/notice.tsx";
import { TextField } from "../../ui/text-field.tsx";
import { TextLink } from "../../ui/text-link.tsx";
import { usePageDescription } from "../../ui/use-page-description.ts";
import { askForReset } from "./password-api.ts";
import { forgotTexts as texts } from "./texts.ts";

/** Sends a link that sets a new password; says the same for known and unknown addresses. */
export function ForgotPasswordPage() {
  const { formProps, isPending, reply, problem, reset } = useFormRequest(askForReset);
  usePageDescription(texts.description);
  return (
    <NarrowPage title={texts.title} lead={reply === undefined ? texts.lead : undefined}>
      {reply === undefined ? (
        <Form {...formProps} className="flex flex-col gap-5">
          <TextField
            name="email"
            label={texts.email}
            inputMode="email"
            autoComplete="email"
            autoCapitalize="none"
            spellCheck={false}
            aria-required
          />
          {problem && (
            <Notice tone="error" role="alert">
              {texts.failed(errorText(problem, texts.unexpected))}
            </Notice>
          )}
          <Button type="submit" size="lg" busy={isPending}>
            {isPending ? texts.busy : texts.submit}
          </Button>
        </Form>
      ) : (
        <>
          <Notice tone="success" role="status">
            <span className="break-words">{reply}</span>
          </Notice>
          <Button variant="secondary" onClick={reset}>
            {texts.again}
          </Button>
        </>
      )}
      <p className="text-center text-sm">
        <TextLink to="/login">{texts.toLogin}</TextLink>
      </p>
    </NarrowPage>
  );
}
