import type { FieldError } from "@shared/contract/errors.ts";
import { useMutation } from "@tanstack/react-query";
import { type FormEvent, useState } from "react";
import type { z } from "zod";
import { ApiError, type FormErrors, issuesToFieldErrors, toFormErrors } from "./errors.ts";

const CHECK_FIELDS = "Please check the marked fields.";
const MISMATCH = "New passwords do not match.";

export type FormFields = Record<string, FormDataEntryValue>;

/** @throws ApiError with field errors, as the server would answer */
export function parseForm<Output>(schema: z.ZodType<Output>, form: object): Output {
  return passed(schema.safeParse(form), []);
}

/** As `parseForm`, for a `new_password` with a `confirmation`, which is not sent. */
export function parsePasswordForm<Output>(schema: z.ZodType<Output>, form: FormFields): Output {
  const differ = form.new_password !== form.confirmation;
  return passed(
    schema.safeParse(form),
    differ ? [{ field: "confirmation", message: MISMATCH }] : [],
  );
}

function passed<Output>(parsed: z.ZodSafeParseResult<Output>, more: FieldError[]): Output {
  const found = parsed.success ? [] : issuesToFieldErrors(parsed.error.issues);
  const fieldErrors = [...found, ...more];
  if (parsed.success && fieldErrors.length === 0) return parsed.data;
  throw new ApiError(CHECK_FIELDS, { status: 0, code: "invalid-input", fieldErrors });
}

/** A form that is sent to the API. Errors without a field are the `problem`. */
export function useFormRequest<Reply>(send: (form: FormFields) => Promise<Reply>) {
  const [errors, setErrors] = useState<FormErrors>({});
  const request = useMutation({
    mutationFn: (form: HTMLFormElement) => send(Object.fromEntries(new FormData(form))),
    onSuccess: (_reply, form) => form.reset(),
    onError: (error) => setErrors(fieldErrorsOf(error)),
  });
  const onSubmit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    if (request.isPending) return;
    setErrors({});
    request.mutate(event.currentTarget);
  };
  const isFieldProblem = Object.keys(fieldErrorsOf(request.error)).length > 0;
  return {
    formProps: { errors, onSubmit, onChange: () => setErrors({}) },
    isPending: request.isPending,
    reply: request.data,
    problem: isFieldProblem ? null : request.error,
    reset() {
      setErrors({});
      request.reset();
    },
  };
}

const fieldErrorsOf = (error: unknown): FormErrors =>
  error instanceof ApiError ? toFormErrors(error.fieldErrors) : {};
