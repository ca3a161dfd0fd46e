import { actionDoneSchema } from "@shared/contract/admin.ts";
import { useMutation, useQuery } from "@tanstack/react-query";
import { LoaderCircle } from "lucide-react";
import { Link, useSearchParams } from "react-router-dom";
import { useMe } from "../../domain/me.ts";
import { api } from "../../lib/api/client.ts";
import { ApiError } from "../../lib/api/errors.ts";
import { useSession } from "../../lib/session.ts";
import { Alert, ErrorAlert } from "../../ui/alert.tsx";
import { Button, buttonClass } from "../../ui/button.tsx";
import { NarrowPage } from "../../ui/narrow-page.tsx";
import { usePageDescription } from "../../ui/page-heading.tsx";
import { ResendVerification } from "./resend-verification.tsx";

const uselessLinkReasons = {
  expired: "This link has expired or was already used.",
  incomplete: "The link is incomplete. Open it from the email again, or copy the whole link.",
} as const;

export function VerifyEmailPage() {
  const [parameters] = useSearchParams();
  const token = parameters.get("token");
  usePageDescription("Verify the email address of your AI Trading Bot account.");
  if (!token) return <UselessLink why="incomplete" />;
  if (parameters.has("decline")) return <Decline token={token} />;
  return <Verification key={token} token={token} />;
}

/** For the owner of an address with which somebody else has registered. */
function Decline({ token }: { token: string }) {
  const { mutate, isPending, isSuccess, error } = useMutation({
    mutationFn: () =>
      api({
        method: "POST",
        path: "/decline-registration",
        body: { token },
        schema: actionDoneSchema,
      }),
  });
  if (isSuccess) {
    return (
      <NarrowPage title="Account deleted">
        <Alert tone="success" role="status">
          The account is deleted. Your email address is free again.
        </Alert>
      </NarrowPage>
    );
  }
  return (
    <NarrowPage title="Delete this account?">
      <p className="text-ink-muted text-pretty">
        Someone registered an account with your email address. If it wasn't you, delete the account
        so that it cannot be used without you.
      </p>
      {error && <ErrorAlert message={error.message} />}
      <Button size="lg" variant="danger" disabled={isPending} onClick={() => mutate()}>
        Delete the account
      </Button>
      <Link to="/forgot-password" className={buttonClass({ size: "lg", variant: "secondary" })}>
        Keep it and choose a new password
      </Link>
    </NarrowPage>
  );
}

function Verification({ token }: { token: string }) {
  const { isSuccess, isFetching, error, refetch } = useVerification(token);
  if (isSuccess) return <Verified />;
  if (isFetching || !error) {
    return (
      <NarrowPage title="Verify your email">
        <p role="status" className="flex items-center gap-3 text-ink-muted">
          <LoaderCircle aria-hidden className="size-5 animate-spin text-accent" />
          Verifying your email...
        </p>
      </NarrowPage>
    );
  }
  if (error instanceof ApiError && error.code === "invalid-token") {
    return <UselessLink why="expired" />;
  }
  return (
    <NarrowPage title="Your email is not verified yet">
      <ErrorAlert message={error.message} />
      <Button size="lg" onClick={() => void refetch()}>
        Try again
      </Button>
    </NarrowPage>
  );
}

function Verified() {
  const signedIn = useSession((session) => session.token !== null);
  return (
    <NarrowPage title="Email verified">
      <Alert tone="success" role="status">
        Thank you. Your email address is verified.
      </Alert>
      <Link to={signedIn ? "/dashboard" : "/login"} className={buttonClass({ size: "lg" })}>
        {signedIn ? "Go to the dashboard" : "Login"}
      </Link>
    </NarrowPage>
  );
}

function UselessLink({ why }: { why: "expired" | "incomplete" }) {
  const signedIn = useSession((session) => session.token !== null);
  const isVerified = useMe()?.email_verified === true;
  if (isVerified) return <Verified />;
  return (
    <NarrowPage title="This link does not work">
      <Alert tone="warning" role="alert">
        {uselessLinkReasons[why]}
      </Alert>
      {signedIn ? (
        <ResendVerification />
      ) : (
        <>
          <p className="text-ink-muted text-pretty">
            Log in to request a new link. If your email is already verified, you're all set.
          </p>
          <Link to="/login" state={{ from: "/user-panel" }} className={buttonClass({ size: "lg" })}>
            Log in for a new link
          </Link>
        </>
      )}
    </NarrowPage>
  );
}

/** A token works once, so all mounts of the screen share one request. Only `refetch` repeats it. */
const useVerification = (token: string) =>
  useQuery({
    queryKey: ["verify-email", token],
    queryFn: () =>
      api({ method: "POST", path: "/verify-email", body: { token }, schema: actionDoneSchema }),
    retry: false,
    retryOnMount: false,
    staleTime: "static",
    gcTime: Number.POSITIVE_INFINITY,
    refetchOnReconnect: false,
  });

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
        You won't get emails of this kind anymore, such as those about signals or your results. You
        will still get emails that protect your account, such as those about your password.
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
