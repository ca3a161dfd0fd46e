import { useMutation } from "@tanstack/react-query";
import { MailPlus } from "lucide-react";
import { errorText } from "../../lib/api/api-error.ts";
import { Button } from "../../ui/button.tsx";
import { Notice } from "../../ui/notice.tsx";
import { resendVerification } from "./account-api.ts";
import { emailTexts as texts } from "./texts.ts";

/** Has a new verification link sent, and says where it went. */
export function ResendVerification() {
  const resend = useMutation({ mutationFn: resendVerification });
  if (resend.isSuccess) {
    return (
      <Notice tone="success" role="status">
        <span className="break-words">{resend.data.detail}</span>
      </Notice>
    );
  }
  return (
    <div className="flex flex-col items-start gap-4">
      {resend.isError && (
        <Notice tone="error" role="alert" className="self-stretch">
          {errorText(resend.error, texts.resendFailed)}
        </Notice>
      )}
      <Button variant="secondary" busy={resend.isPending} onClick={() => resend.mutate()}>
        {!resend.isPending && <MailPlus aria-hidden className="size-4" />}
        {resend.isPending ? texts.resending : texts.resend}
      </Button>
    </div>
  );
}
