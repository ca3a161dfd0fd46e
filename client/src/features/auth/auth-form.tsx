import { Form } from "@base-ui/react/form";
import {
  loginRequestSchema,
  registerRequestSchema,
  type Session,
} from "@shared/contract/account.ts";
import { useMutation } from "@tanstack/react-query";
import { type FormEvent, useState } from "react";
import type { z } from "zod";
import { ApiError } from "../../lib/api/api-error.ts";
import { Button } from "../../ui/button.tsx";
import { type FormErrors, issuesToErrors, toErrors } from "../../ui/form-errors.ts";
import { Notice } from "../../ui/notice.tsx";
import { TextField } from "../../ui/text-field.tsx";
import { login, register } from "./auth-api.ts";
import { authErrorText } from "./auth-error.ts";
import { PasswordField } from "./password-field.tsx";
import { authTexts } from "./texts.ts";

export type AuthMode = "login" | "register";

interface AuthFormProps {
  mode: AuthMode;
  onSession(session: Session): void;
}

/** Checks the form by `schema` and sends what it gives. */
function sender<Input>(schema: z.ZodType<Input>, send: (input: Input) => Promise<Session>) {
  return (form: Record<string, unknown>) => {
    const parsed = schema.safeParse(form);
    if (!parsed.success) return { errors: issuesToErrors(parsed.error.issues) };
    return { send: () => send(parsed.data) };
  };
}

const senders = {
  login: sender(loginRequestSchema, login),
  register: sender(registerRequestSchema, register),
};

/** The one form behind login and registration. */
export function AuthForm({ mode, onSession }: AuthFormProps) {
  const [errors, setErrors] = useState<FormErrors>({});
  const request = useMutation({
    mutationFn: (send: () => Promise<Session>) => send(),
    onSuccess: onSession,
    onError: (error) => setErrors(error instanceof ApiError ? toErrors(error.fieldErrors) : {}),
  });
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    if (request.isPending) return;
    const checked = senders[mode](Object.fromEntries(new FormData(event.currentTarget)));
    setErrors(checked.errors ?? {});
    if (checked.send) request.mutate(checked.send);
  };
  const isRegister = mode === "register";
  return (
    <Form
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
        autoComplete={isRegister ? "new-password" : "current-password"}
        {...(isRegister && { hint: authTexts.passwordHint })}
      />
      {request.isError && <AuthErrorNotice error={request.error} />}
      <Button type="submit" size="lg" busy={request.isPending}>
        {request.isPending ? authTexts.busy : authTexts[mode].submit}
      </Button>
    </Form>
  );
}

function AuthErrorNotice({ error }: { error: unknown }) {
  const { code, text } = authErrorText(error);
  return (
    <Notice tone="error" role="alert">
      {text}
      {code && <code className="mt-1 block text-xs text-ink-faint">{code}</code>}
    </Notice>
  );
}
