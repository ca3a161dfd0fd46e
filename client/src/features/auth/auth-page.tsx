import { Form } from "@base-ui/react/form";
import type { Session } from "@shared/contract/account.ts";
import { REGISTRATION_REDIRECT_MS } from "@shared/contract/constants.ts";
import { useEffect, useState } from "react";
import { Link, Navigate, useLocation, useNavigate } from "react-router-dom";
import { ApiError, errorText, hasCode } from "../../lib/api/errors.ts";
import { useFormRequest } from "../../lib/api/forms.ts";
import { type SessionEnd, useSession } from "../../lib/session.ts";
import { Alert } from "../../ui/alert.tsx";
import { Button, buttonClass, TextLink } from "../../ui/button.tsx";
import { NarrowCard, NarrowPage } from "../../ui/narrow-page.tsx";
import { PasswordField, TextField } from "../../ui/text-field.tsx";
import type { AuthMode } from "./authenticate.ts";

const sessionEndMessages: Partial<Record<SessionEnd, string>> = {
  expired: "Your session has expired. Please log in again.",
  deleted: "This account has been deleted.",
  "password-changed": "Your password was changed. Please log in with the new one.",
  "revoked-session": "This session was ended on another device.",
  "role-changed": "Your role has changed. Please log in again.",
};

const modes = {
  login: {
    title: "Login",
    lead: "Welcome back.",
    question: "New here?",
    other: { to: "/register", label: "Register" },
  },
  register: {
    title: "Register",
    lead: "Create your account. An administrator approves it before you can use the bot.",
    question: "Already have an account?",
    other: { to: "/login", label: "Login" },
  },
} as const;

export const LoginPage = () => <AuthPage key="login" mode="login" />;
export const RegisterPage = () => <AuthPage key="register" mode="register" />;

function AuthPage({ mode }: { mode: AuthMode }) {
  const { state } = useLocation();
  const signedIn = useSession((session) => session.token !== null);
  const signIn = useSession((session) => session.signIn);
  const [registered, setRegistered] = useState(false);
  const onSession = (session: Session) => {
    setRegistered(mode === "register");
    signIn(session);
  };
  const { title, lead, question, other } = modes[mode];
  if (registered) return <Registered />;
  if (signedIn) return <Navigate to={readReturnTo(state)} replace />;
  return (
    <NarrowPage title={title} lead={lead} className={forVisitors}>
      <SessionEndNotice />
      {mode === "login" && isNew(state) && (
        <Alert tone="info" title="New here?">
          <p>Create an account first: it takes a minute, and costs nothing.</p>
          <Link to="/register" state={state} className={`${buttonClass()} mt-3`}>
            Create an account
          </Link>
        </Alert>
      )}
      <AuthForm mode={mode} onSession={onSession} />
      <div className="flex flex-col gap-3 text-center text-sm text-ink-muted">
        {mode === "login" && (
          <p>
            <TextLink to="/forgot-password">Forgot Password</TextLink>
          </p>
        )}
        <p>
          {question}{" "}
          <TextLink to={other.to} state={state}>
            {other.label}
          </TextLink>
        </p>
      </div>
    </NarrowPage>
  );
}

/** The pre-rendered page is hidden from signed-in users, who are led elsewhere. */
const forVisitors = "early-member:invisible";

function SessionEndNotice() {
  const endedBy = useSession((session) => session.endedBy);
  const text = endedBy && sessionEndMessages[endedBy];
  if (!text) return null;
  return (
    <Alert tone="info" role="status">
      {text}
    </Alert>
  );
}

function Registered() {
  const navigate = useNavigate();
  useEffect(() => {
    const timer = setTimeout(() => void navigate("/dashboard"), REGISTRATION_REDIRECT_MS);
    return () => clearTimeout(timer);
  }, [navigate]);
  return (
    <NarrowCard>
      <Alert tone="success" role="status" title="Registration successful!">
        Please verify your email and wait for admin approval. Redirecting to your dashboard…
      </Alert>
      <Link to="/dashboard" className={buttonClass({ variant: "secondary" })}>
        Go to the dashboard now
      </Link>
    </NarrowCard>
  );
}

/** Loaded while the form is filled in, to keep the first load small. */
const loadAuthenticate = () => import("./authenticate.ts");

interface AuthFormProps {
  mode: AuthMode;
  onSession(session: Session): void;
}

function AuthForm({ mode, onSession }: AuthFormProps) {
  const { formProps, isPending, problem } = useFormRequest(async (form) => {
    const { authenticate } = await loadAuthenticate();
    onSession(await authenticate(mode, form));
  });
  useEffect(() => void loadAuthenticate().catch(() => null), []);
  const isRegister = mode === "register";
  const [needsCode, setNeedsCode] = useState(false);
  const asksForCode = hasCode(problem, "two-factor-required");
  if (asksForCode && !needsCode) setNeedsCode(true);
  return (
    <Form {...formProps} method="post" className="flex flex-col gap-5">
      <TextField
        name="username"
        label="Username"
        autoComplete="username"
        autoCapitalize="none"
        spellCheck={false}
        aria-required
        {...(isRegister && { hint: "3 to 32 letters, digits, dots, dashes or underscores." })}
      />
      {isRegister && (
        <TextField
          name="email"
          label="Email"
          inputMode="email"
          autoComplete="email"
          autoCapitalize="none"
          aria-required
        />
      )}
      <PasswordField
        name="password"
        label="Password"
        autoComplete={isRegister ? "new-password" : "current-password"}
        {...(isRegister && { hint: "At least 6 characters." })}
      />
      {needsCode && (
        <TextField
          name="code"
          label="Code of your authenticator app"
          hint="Or one of your recovery codes."
          autoCapitalize="none"
          spellCheck={false}
          autoComplete="one-time-code"
          autoFocus
          aria-required
        />
      )}
      {problem && !asksForCode && <AuthErrorNotice error={problem} />}
      <Button type="submit" size="lg" busy={isPending}>
        {isPending ? "Processing..." : modes[mode].title}
      </Button>
      {isRegister && (
        <p className="text-center text-sm text-ink-muted text-pretty">
          By registering, you agree to the <TextLink to="/terms">Terms of Service</TextLink>. The{" "}
          <TextLink to="/privacy">Privacy Policy</TextLink> says how we use your data.
        </p>
      )}
    </Form>
  );
}

function AuthErrorNotice({ error }: { error: unknown }) {
  const { code, text } = authErrorText(error);
  return (
    <Alert tone="error" role="alert">
      {text}
      {code && <code className="mt-1 block text-xs text-ink-faint">{code}</code>}
    </Alert>
  );
}

/** Matches codes of identity services, such as `auth/…` or `EMAIL_EXISTS`. */
const IDENTITY_CODE = /^(auth\/|[A-Z][A-Z_]+)/;

export function authErrorText(error: unknown) {
  const code = error instanceof ApiError && IDENTITY_CODE.test(error.code) ? error.code : null;
  return { code, text: errorText(error, "An unexpected error occurred.") };
}

/** Only paths of this site: history state must not redirect elsewhere. */
const OWN_PATH = /^\/(?![/\\])/;

const isNew = (state: unknown): boolean =>
  typeof state === "object" && state !== null && "isNew" in state && state.isNew === true;

export function readReturnTo(state: unknown): string {
  const from = typeof state === "object" && state && "from" in state ? state.from : undefined;
  return typeof from === "string" && OWN_PATH.test(from) ? from : "/dashboard";
}
