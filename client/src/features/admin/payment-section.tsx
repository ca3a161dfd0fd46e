import { Form } from "@base-ui/react/form";
import { paymentDetailsUpdateSchema } from "@shared/contract/admin.ts";
import {
  PAYMENT_METHODS,
  type PaymentDetails,
  paymentDetailsSchema,
} from "@shared/contract/payment.ts";
import { useState } from "react";
import { parseForm, useFormRequest } from "../../lib/api/forms.ts";
import { queryClient } from "../../lib/query-client.ts";
import { Alert } from "../../ui/alert.tsx";
import { Button, TextLink } from "../../ui/button.tsx";
import { Card, Skeleton } from "../../ui/card.tsx";
import { QueryView } from "../../ui/load-states.tsx";
import { TextField } from "../../ui/text-field.tsx";
import { AdminSection } from "./admin-section.tsx";
import { adminKeys, runAndConfirm, savePaymentDetails, usePaymentDetails } from "./api.ts";
import { ProtectedFormEnd, usePasswordQuestion } from "./protected-form.tsx";
import { afterShown } from "./use-changes.ts";

/** Compact, each method takes one line until it is edited. */
export function PaymentSection({ isCompact = false }: { isCompact?: boolean }) {
  return (
    <AdminSection
      id="payment"
      title="Payment settings"
      lead="Shown on the payment page. Leave a field empty to hide that method."
      action={isCompact && <TextLink to="/admin/payments">Payments</TextLink>}
    >
      <QueryView
        query={usePaymentDetails()}
        failed="Failed to load payment details."
        skeleton={<Skeleton className="h-72 rounded-card" />}
      >
        {(saved) => <PaymentForm saved={saved} isCompact={isCompact} />}
      </QueryView>
    </AdminSection>
  );
}

const FIELDS = paymentDetailsSchema.keyof().options;

const areSame = (a: PaymentDetails, b: PaymentDetails) =>
  FIELDS.every((field) => a[field] === b[field]);

type Draft = Record<"from" | "details", PaymentDetails>;

/** Follows what other admins save until this admin edits; then a conflict is shown. */
function PaymentForm({ saved, isCompact }: { saved: PaymentDetails; isCompact: boolean }) {
  const [draft, setDraft] = useState<Draft | null>(null);
  const details = draft?.details ?? saved;
  const isChanged = !areSame(details, saved);
  const { formProps, isPending, problem, reset } = useFormRequest(async (form) => {
    await runAndConfirm(savePaymentDetails(parseForm(paymentDetailsUpdateSchema, form)));
    queryClient.setQueryData(adminKeys.payment, details);
    // What was changed once more while it was saved stays.
    afterShown(() =>
      setDraft((now) => (now && !areSame(now.details, details) ? { ...now, from: details } : null)),
    );
    question.stop();
  });
  // A stolen session must not lead customers elsewhere.
  const question = usePasswordQuestion(problem);
  const change = (field: keyof PaymentDetails, value: string) =>
    setDraft((now) => ({
      from: now?.from ?? saved,
      details: { ...(now?.details ?? saved), [field]: value },
    }));
  const discard = () => {
    reset();
    setDraft(null);
  };
  return (
    <Card className="p-4 sm:p-5">
      <Form {...formProps} className="flex flex-col gap-5">
        {draft && !areSame(draft.from, saved) && isChanged && (
          <Alert tone="warning" role="status" title="Changed by another administrator">
            <p>These details changed while you were editing. Saving will overwrite them.</p>
            <Button variant="secondary" size="sm" className="mt-3" onClick={discard}>
              Load the saved details
            </Button>
          </Alert>
        )}
        <div
          className={`grid gap-4 md:grid-cols-2 lg:grid-cols-3 ${isCompact ? "[&_textarea]:min-h-11" : "[&_textarea]:min-h-16"}`}
        >
          {FIELDS.map((field) => (
            <TextField
              key={field}
              name={field}
              label={PAYMENT_METHODS[field]}
              rows={isCompact ? 1 : 2}
              value={details[field]}
              onValueChange={(value) => change(field, value)}
              placeholder="Not offered"
            />
          ))}
        </div>
        <ProtectedFormEnd
          question={question}
          purpose="change where customers pay"
          failure="Failed to update payment details."
          problem={problem}
          action="Save payment details"
          isChanged={isChanged}
          isPending={isPending}
          onDiscard={discard}
        />
      </Form>
    </Card>
  );
}
