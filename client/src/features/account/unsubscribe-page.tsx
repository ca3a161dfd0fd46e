import { actionDoneSchema } from "@shared/contract/admin.ts";
import { useMutation } from "@tanstack/react-query";
import { Link, useSearchParams } from "react-router-dom";
import { api } from "../../lib/api/client.ts";
import { ApiError } from "../../lib/api/errors.ts";
import { Alert, ErrorAlert } from "../../ui/alert.tsx";
import { Button, buttonClass } from "../../ui/button.tsx";
import { NarrowPage } from "../../ui/narrow-page.tsx";
import { usePageDescription } from "../../ui/page-heading.tsx";

/** For the link in the emails of a channel. It asks first, because mail scanners open links, too. */
export function UnsubscribePage() {
  const [parameters] = useSearchParams();
  const token = parameters.get("token") ?? "";
  usePageDescription("Turn off the emails of your AI Trading Bot account.");
  const { mutate, isPending, isSuccess, error } = useMutation({
    mutationFn: () =>
      api({ method: "POST", path: "/unsubscribe", query: { token }, schema: actionDoneSchema }),
  });
  if (isSuccess) {
    return (
      <NarrowPage title="Emails are off">
        <Alert tone="success" role="status">
          You won't get these emails anymore. You can turn them back on in your account.
        </Alert>
        <AccountLink />
      </NarrowPage>
    );
  }
  return (
    <NarrowPage title="Turn these emails off?">
      <p className="text-ink-muted text-pretty">
        You won't get emails about signals and account changes anymore. You will still get emails
        that protect your account, such as those about your password.
      </p>
      {error && <ErrorAlert message={messageOf(error)} />}
      <Button size="lg" disabled={isPending} onClick={() => mutate()}>
        Turn them off
      </Button>
      <AccountLink />
    </NarrowPage>
  );
}

const messageOf = (error: Error): string =>
  error instanceof ApiError && error.code === "invalid-token"
    ? "This link does not work. Log in and turn the emails off in your account."
    : error.message;

function AccountLink() {
  return (
    <Link to="/user-panel" className={buttonClass({ size: "lg", variant: "secondary" })}>
      Choose what you get
    </Link>
  );
}
