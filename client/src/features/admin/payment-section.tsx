import { Form } from "@base-ui/react/form";
import type { Reauthentication } from "@shared/contract/account.ts";
import {
  PAYMENT_METHODS,
  type PaymentDetails,
  paymentDetailsSchema,
} from "@shared/contract/payment.ts";
import { useMutation } from "@tanstack/react-query";
import { type FormEvent, useState } from "react";
import { hasCode } from "../../lib/api/errors.ts";
import { type FormErrors, issuesToFieldErrors, toFormErrors } from "../../lib/api/field-errors.ts";
import { useMe } from "../../lib/me.ts";
import { queryClient } from "../../lib/query-client.ts";
import { Alert, ErrorAlert } from "../../ui/alert.tsx";
import { Button } from "../../ui/button.tsx";
import { Card, Skeleton } from "../../ui/card.tsx";
import { QueryView } from "../../ui/load-states.tsx";
import { PasswordField, TextField } from "../../ui/text-field.tsx";
import { AdminSection } from "./admin-section.tsx";
import { adminKeys, runAndConfirm, savePaymentDetails, usePaymentDetails } from "./api.ts";

export function PaymentSection() {
  return (
    <AdminSection
      id="payment"
      title="Payment settings"
      lead="Shown on the payment page. Leave a field empty to hide that method."
    >
      <QueryView
        query={usePaymentDetails()}
        failed="Failed to load payment details."
        skeleton={<Skeleton className="h-72 rounded-card" />}
      >
        {(saved) => <PaymentForm saved={saved} />}
      </QueryView>
    </AdminSection>
  );
}

const FIELDS = paymentDetailsSchema.keyof().options;

const areSame = (a: PaymentDetails, b: PaymentDetails) =>
  FIELDS.every((field) => a[field] === b[field]);

type Draft = Record<"from" | "details", PaymentDetails>;

/** Follows what other admins save until this admin edits; then a conflict is shown. */
function PaymentForm({ saved }: { saved: PaymentDetails }) {
  const [draft, setDraft] = useState<Draft | null>(null);
  const [errors, setErrors] = useState<FormErrors>({});
  const details = draft?.details ?? saved;
  const isChanged = !areSame(details, saved);
  const [credentials, setCredentials] = useState<Reauthentication>({});
  const save = useMutation({
    mutationFn: async (next: PaymentDetails) => {
      await runAndConfirm(savePaymentDetails({ ...next, ...credentials }));
      queryClient.setQueryData(adminKeys.payment, next);
      setDraft(null);
    },
    onSuccess: () => setCredentials({}),
  });
  const asksForPassword = hasCode(save.error, "reauthentication-required");
  if (asksForPassword && credentials.password === undefined) setCredentials({ password: "" });
  const change = (field: keyof PaymentDetails, value: string) => {
    setErrors({});
    setDraft({ from: draft?.from ?? saved, details: { ...details, [field]: value } });
  };
  const discard = () => {
    save.reset();
    setErrors({});
    setDraft(null);
  };
  const submit = (event: FormEvent) => {
    event.preventDefault();
    const { data, error } = paymentDetailsSchema.safeParse(details);
    setErrors(error ? toFormErrors(issuesToFieldErrors(error.issues)) : {});
    if (data && !save.isPending) save.mutate(data);
  };
  return (
    <Card className="p-4 sm:p-5">
      <Form errors={errors} onSubmit={submit} className="flex flex-col gap-5">
        {draft && !areSame(draft.from, saved) && isChanged && (
          <Alert tone="warning" role="status" title="Changed by another administrator">
            <p>These details changed while you were editing. Saving will overwrite them.</p>
            <Button variant="secondary" size="sm" className="mt-3" onClick={discard}>
              Load the saved details
            </Button>
          </Alert>
        )}
        <div className="grid gap-4 md:grid-cols-2 lg:grid-cols-3 [&_textarea]:min-h-16">
          {FIELDS.map((field) => (
            <TextField
              key={field}
              name={field}
              label={PAYMENT_METHODS[field]}
              rows={2}
              value={details[field]}
              onValueChange={(value) => change(field, value)}
              {...(details[field].trim() === "" && { hint: "Not offered" })}
            />
          ))}
        </div>
        {credentials.password !== undefined && (
          <Credentials credentials={credentials} onChange={setCredentials} />
        )}
        {!asksForPassword && (
          <ErrorAlert title="Failed to update payment details." message={save.error?.message} />
        )}
        <div className="flex flex-wrap gap-3">
          <Button type="submit" disabled={!isChanged} busy={save.isPending}>
            {save.isPending ? "Saving..." : "Save payment details"}
          </Button>
          {isChanged && (
            <Button variant="ghost" disabled={save.isPending} onClick={discard}>
              Discard changes
            </Button>
          )}
        </div>
      </Form>
    </Card>
  );
}

interface CredentialsProps {
  credentials: Reauthentication;
  onChange(credentials: Reauthentication): void;
}

/** Asked for some time after the sign-in, so that a stolen session cannot redirect payments. */
function Credentials({ credentials, onChange }: CredentialsProps) {
  const hasSecondFactor = useMe()?.two_factor.enabled;
  return (
    <div className="flex max-w-md flex-col gap-5">
      <Alert tone="info" role="status">
        Enter your password to change where customers pay, then save again.
      </Alert>
      <PasswordField
        name="password"
        label="Your password"
        autoComplete="current-password"
        value={credentials.password ?? ""}
        onValueChange={(password) => onChange({ ...credentials, password })}
      />
      {hasSecondFactor && (
        <TextField
          name="code"
          label="Code of your authenticator app"
          autoComplete="one-time-code"
          value={credentials.code ?? ""}
          onValueChange={(code) => onChange({ ...credentials, code })}
        />
      )}
    </div>
  );
}
