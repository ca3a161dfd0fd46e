import { useMutation } from "@tanstack/react-query";
import { type FormEvent, useState } from "react";
import { ApiError } from "./api-error.ts";
import { type FormErrors, toFormErrors } from "./field-errors.ts";
import type { FormFields } from "./parse-form.ts";

/**
 * A form that is sent to the API: what its fields hold goes to `send`; field errors come back to the fields, and
 * anything else is the `problem`.
 */
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
    /** Back to the empty form. */
    reset: request.reset,
  };
}

const fieldErrorsOf = (error: unknown): FormErrors =>
  error instanceof ApiError ? toFormErrors(error.fieldErrors) : {};
