import { Form } from "@base-ui/react/form";
import type { Session } from "@shared/contract/account.ts";
import { useMutation } from "@tanstack/react-query";
import { type FormEvent, useEffect, useState } from "react";
import { ApiError } from "../../lib/api/api-error.ts";
import { type FormErrors, toFormErrors } from "../../lib/api/field-errors.ts";
import { Button } from "../../ui/button.tsx";
import { Notice } from "../../ui/notice.tsx";
import { PasswordField } from "../../ui/password-field.tsx";
import { TextField } from "../../ui/text-field.tsx";
import { authErrorText } from "./auth-error.ts";
import type { AuthMode } from "./auth-mode.ts";
import { authTexts } from "./texts.ts";

/** Checks and API are not needed to show the form; they are loaded while it is filled in. */
const loadAuthenticate = () => import("./authenticate.ts");

interface AuthFormProps {
  mode: AuthMode;
  onSession(session: Session): void;
}

/** The one form behind login and registration. */
export function AuthForm({ mode, onSession }: AuthFormProps) {
  const [errors, setErrors] = useState<FormErrors>({});
  const request = useMutation({
    mutationFn: async (form: object) => (await loadAuthenticate()).authenticate(mode, form),
    onSuccess: onSession,
    onError: (error) => setErrors(error instanceof ApiError ? toFormErrors(error.fieldErrors) : {}),
  });
  useEffect(() => void loadAuthenticate().catch(() => null), []);
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    if (request.isPending) return;
    setErrors({});
    request.mutate(Object.fromEntries(new FormData(event.currentTarget)));
  };
  const isRegister = mode === "register";
  return (
    <Form
      method="post"
      errors={errors}
      onSubmit={submit}
      onChange={() => setErrors({})}
      className="flex flex-col gap-5"
    >
      <TextField
        name="username"
        label={authTexts.username}
        autoComplete="username"
        autoCapitalize="none"
        spellCheck={false}
        aria-required
        {...(isRegister && { hint: authTexts.usernameHint })}
      />
      {isRegister && (
        <TextField
          name="email"
          label={authTexts.email}
          inputMode="email"
          autoComplete="email"
          autoCapitalize="none"
          aria-required
        />
      )}
      <PasswordField
        name="password"
        label={authTexts.password}
        autoComplete={isRegister ? "new-password" : "current-password"}
        {...(isRegister && { hint: authTexts.passwordHint })}
      />
      {request.isError && !hasFieldErrors(request.error) && (
        <AuthErrorNotice error={request.error} />
      )}
      <Button type="submit" size="lg" busy={request.isPending}>
        {request.isPending ? authTexts.busy : authTexts[mode].submit}
      </Button>
    </Form>
  );
}

const hasFieldErrors = (error: unknown) =>
  error instanceof ApiError && error.fieldErrors.length > 0;

function AuthErrorNotice({ error }: { error: unknown }) {
  const { code, text } = authErrorText(error);
  return (
    <Notice tone="error" role="alert">
      {text}
      {code && <code className="mt-1 block text-xs text-ink-faint">{code}</code>}
    </Notice>
  );
}
