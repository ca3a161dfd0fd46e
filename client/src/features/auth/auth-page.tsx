import type { Session } from "@shared/contract/account.ts";
import { REGISTRATION_REDIRECT_MS } from "@shared/contract/constants.ts";
import { type ReactNode, useEffect, useState } from "react";
import { Link, Navigate, type To, useLocation, useNavigate } from "react-router-dom";
import { type SessionEnd, useSession } from "../../lib/session.ts";
import { buttonClass } from "../../ui/button-class.ts";
import { Card } from "../../ui/card.tsx";
import { Notice } from "../../ui/notice.tsx";
import { TextLink } from "../../ui/text-link.tsx";
import { usePageTitle } from "../../ui/use-page-title.ts";
import { AuthForm } from "./auth-form.tsx";
import type { AuthMode } from "./auth-mode.ts";
import { readReturnTo } from "./return-to.ts";
import { authTexts, sessionEndTexts } from "./texts.ts";

export const LoginPage = () => <AuthPage key="login" mode="login" />;
export const RegisterPage = () => <AuthPage key="register" mode="register" />;

/** Login and registration; whoever is signed in already is sent on to where he was going. */
function AuthPage({ mode }: { mode: AuthMode }) {
  const { state } = useLocation();
  const signedIn = useSession((session) => session.token !== null);
  const signIn = useSession((session) => session.signIn);
  const [registered, setRegistered] = useState(false);
  const onSession = (session: Session) => {
    setRegistered(mode === "register");
    signIn(session);
  };
  usePageTitle(authTexts[mode].title);
  if (registered) return <Registered />;
  if (signedIn) return <Navigate to={readReturnTo(state)} replace />;
  return (
    <AuthFrame>
      <header className="flex flex-col gap-2">
        <h1 className="text-2xl font-semibold tracking-tight">{authTexts[mode].title}</h1>
        <p className="text-ink-muted text-pretty">{authTexts[mode].lead}</p>
      </header>
      <SessionEndNotice />
      <AuthForm mode={mode} onSession={onSession} />
      <div className="flex flex-col gap-3 text-center text-sm text-ink-muted">
        {mode === "login" && (
          <p>
            <TextLink to="/forgot-password">{authTexts.forgotPassword}</TextLink>
          </p>
        )}
        <SwitchMode mode={mode} state={state} />
      </div>
    </AuthFrame>
  );
}

function AuthFrame({ children }: { children: ReactNode }) {
  return (
    <div className="page flex justify-center py-10 sm:py-20">
      <Card className="flex w-full max-w-md flex-col gap-6 p-6 early-member:invisible sm:p-8">
        {children}
      </Card>
    </div>
  );
}

function SwitchMode({ mode, state }: { mode: AuthMode; state: unknown }) {
  const other: To = mode === "login" ? "/register" : "/login";
  return (
    <p>
      {authTexts[mode].switchQuestion}{" "}
      <TextLink to={other} state={state}>
        {authTexts[mode].switchLink}
      </TextLink>
    </p>
  );
}

/** Why the session before has ended, unless the user ended it himself. */
function SessionEndNotice() {
  const endedBy = useSession((session) => session.endedBy);
  const text = endedBy && sessionEndText(endedBy);
  return text ? (
    <Notice tone="info" role="status">
      {text}
    </Notice>
  ) : null;
}

function sessionEndText(endedBy: SessionEnd): string | null {
  if (endedBy === "logout" || endedBy === "other-tab") return null;
  return sessionEndTexts[endedBy];
}

/** Tells what comes next, and moves on to the dashboard by itself. */
function Registered() {
  const navigate = useNavigate();
  useEffect(() => {
    const timer = setTimeout(() => void navigate("/dashboard"), REGISTRATION_REDIRECT_MS);
    return () => clearTimeout(timer);
  }, [navigate]);
  return (
    <AuthFrame>
      <Notice tone="success" role="status" title={authTexts.registeredTitle}>
        {authTexts.registered} {authTexts.registeredNext}
      </Notice>
      <Link to="/dashboard" className={buttonClass({ variant: "secondary" })}>
        {authTexts.toDashboard}
      </Link>
    </AuthFrame>
  );
}
