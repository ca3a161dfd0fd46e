import { LoaderCircle } from "lucide-react";
import { Link, useSearchParams } from "react-router-dom";
import { ApiError, errorText } from "../../lib/api/api-error.ts";
import { useLive } from "../../lib/live/live-store.ts";
import { useSession } from "../../lib/session.ts";
import { Button } from "../../ui/button.tsx";
import { buttonClass } from "../../ui/button-class.ts";
import { NarrowPage } from "../../ui/narrow-page.tsx";
import { Notice } from "../../ui/notice.tsx";
import { usePageDescription } from "../../ui/use-page-description.ts";
import { ResendVerification } from "./resend-verification.tsx";
import { verifyTexts as texts } from "./texts.ts";
import { useVerification } from "./use-verification.ts";

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
      <Notice tone="error" role="alert">
        {errorText(error, texts.failed)}
      </Notice>
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
      <Notice tone="success" role="status">
        {texts.done}
      </Notice>
      <Link to={signedIn ? "/dashboard" : "/login"} className={buttonClass({ size: "lg" })}>
        {signedIn ? texts.toDashboard : texts.toLogin}
      </Link>
    </NarrowPage>
  );
}

/** A link without effect; nothing is lost where its reader has confirmed his address already. */
function UselessLink({ why }: { why: "expired" | "incomplete" }) {
  const signedIn = useSession((session) => session.token !== null);
  const isVerified = useLive((live) => live.account?.email_verified === true);
  if (isVerified) return <Verified />;
  return (
    <NarrowPage title={texts.uselessTitle}>
      <Notice tone="warning" role="alert">
        {texts[why]}
      </Notice>
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
