import { actionDoneSchema } from "@shared/contract/admin.ts";
import { useMutation } from "@tanstack/react-query";
import { MailPlus } from "lucide-react";
import { api } from "../../lib/api/client.ts";
import { Alert, ErrorAlert } from "../../ui/alert.tsx";
import { Button } from "../../ui/button.tsx";

export function ResendVerification() {
  const resend = useMutation({
    mutationFn: () =>
      api({ method: "POST", path: "/resend-verification", schema: actionDoneSchema }),
  });
  if (resend.isSuccess) {
    return (
      <Alert tone="success" role="status">
        <span className="break-words">{resend.data.detail}</span>
      </Alert>
    );
  }
  return (
    <div className="flex flex-col items-start gap-4">
      <ErrorAlert message={resend.error?.message} className="self-stretch" />
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
