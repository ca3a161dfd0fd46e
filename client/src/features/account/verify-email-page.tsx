import { useQuery } from "@tanstack/react-query";
import { LoaderCircle } from "lucide-react";
import { Link, useSearchParams } from "react-router-dom";
import { ApiError, errorText } from "../../lib/api/errors.ts";
import { useRealtime } from "../../lib/realtime/store.ts";
import { useSession } from "../../lib/session.ts";
import { Alert } from "../../ui/alert.tsx";
import { Button, buttonClass } from "../../ui/button.tsx";
import { NarrowPage } from "../../ui/narrow-page.tsx";
import { usePageDescription } from "../../ui/page-heading.tsx";
import { verifyEmail } from "./api.ts";
import { verifyMessages as texts } from "./messages.ts";
import { ResendVerification } from "./resend-verification.tsx";

/** Where the link of a verification mail leads; opening it is all there is to do. */
export function VerifyEmailPage() {
  const [parameters] = useSearchParams();
  const token = parameters.get("token");
  usePageDescription(texts.description);
  return token ? <Verification key={token} token={token} /> : <UselessLink why="incomplete" />;
}

function Verification({ token }: { token: string }) {
  const { isSuccess, isFetching, error, again } = useVerification(token);
  if (isSuccess) return <Verified />;
  if (isFetching || !error) return <Busy />;
  if (error instanceof ApiError && error.code === "invalid-token") {
    return <UselessLink why="expired" />;
  }
  return (
    <NarrowPage title={texts.failedTitle}>
      <Alert tone="error" role="alert">
        {errorText(error, texts.failed)}
      </Alert>
      <Button size="lg" onClick={again}>
        {texts.tryAgain}
      </Button>
    </NarrowPage>
  );
}

function Busy() {
  return (
    <NarrowPage title={texts.title}>
      <p role="status" className="flex items-center gap-3 text-ink-muted">
        <LoaderCircle aria-hidden className="size-5 animate-spin text-accent" />
        {texts.busy}
      </p>
    </NarrowPage>
  );
}

function Verified() {
  const signedIn = useSession((session) => session.token !== null);
  return (
    <NarrowPage title={texts.doneTitle}>
      <Alert tone="success" role="status">
        {texts.done}
      </Alert>
      <Link to={signedIn ? "/dashboard" : "/login"} className={buttonClass({ size: "lg" })}>
        {signedIn ? texts.toDashboard : texts.toLogin}
      </Link>
    </NarrowPage>
  );
}

/** A link without effect; nothing is lost where its reader has confirmed his address already. */
function UselessLink({ why }: { why: "expired" | "incomplete" }) {
  const signedIn = useSession((session) => session.token !== null);
  const isVerified = useRealtime((live) => live.account?.email_verified === true);
  if (isVerified) return <Verified />;
  return (
    <NarrowPage title={texts.uselessTitle}>
      <Alert tone="warning" role="alert">
        {texts[why]}
      </Alert>
      {signedIn ? <ResendVerification /> : <LoginForLink />}
    </NarrowPage>
  );
}

function LoginForLink() {
  return (
    <>
      <p className="text-ink-muted text-pretty">{texts.loginFirst}</p>
      <Link to="/login" state={{ from: "/user-panel" }} className={buttonClass({ size: "lg" })}>
        {texts.loginForLink}
      </Link>
    </>
  );
}

/**
 * Confirms an address by the token of a mail's link. Since the token works once, it is sent once, however often the
 * screen is mounted: all its mounts share the one request, and nothing but `again` repeats it.
 */
export function useVerification(token: string) {
  const { isSuccess, isFetching, error, refetch } = useQuery({
    queryKey: ["verify-email", token],
    queryFn: () => verifyEmail(token),
    retry: false,
    retryOnMount: false,
    staleTime: "static",
    gcTime: Number.POSITIVE_INFINITY,
    refetchOnReconnect: false,
  });
  return { isSuccess, isFetching, error, again: () => void refetch() };
}
