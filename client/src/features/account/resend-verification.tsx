import { useMutation } from "@tanstack/react-query";
import { MailPlus } from "lucide-react";
import { Alert } from "../../ui/alert.tsx";
import { Button } from "../../ui/button.tsx";
import { resendVerification } from "./api.ts";

export function ResendVerification() {
  const resend = useMutation({ mutationFn: resendVerification });
  if (resend.isSuccess) {
    return (
      <Alert tone="success" role="status">
        <span className="break-words">{resend.data.detail}</span>
      </Alert>
    );
  }
  return (
    <div className="flex flex-col items-start gap-4">
      {resend.isError && (
        <Alert tone="error" role="alert" className="self-stretch">
          {resend.error.message}
        </Alert>
      )}
      <Button
        Icon={MailPlus}
        variant="secondary"
        busy={resend.isPending}
        onClick={() => resend.mutate()}
      >
        {resend.isPending ? "Sending..." : "Send a new link"}
      </Button>
    </div>
  );
}
