import { Form } from "@base-ui/react/form";
import { useMutation } from "@tanstack/react-query";
import { Send } from "lucide-react";
import { type FormEvent, useState } from "react";
import { ApiError, errorText } from "../../lib/api/api-error.ts";
import { toFormErrors } from "../../lib/api/field-errors.ts";
import { refreshProof } from "../../lib/refresh-proof.ts";
import { Button } from "../../ui/button.tsx";
import { ImageField } from "../../ui/image-field.tsx";
import { Notice } from "../../ui/notice.tsx";
import { TextField } from "../../ui/text-field.tsx";
import { type ProofInputs, submitProof } from "./submit-proof.ts";
import { proofTexts as texts } from "./texts.ts";

const emptyInputs: ProofInputs = { senderName: "", file: null };

/** Sender name and picture of a payment. */
export function ProofForm({ onSent }: { onSent(): void }) {
  const [inputs, setInputs] = useState(emptyInputs);
  const upload = useMutation({
    mutationFn: submitProof,
    onSuccess: async () => {
      onSent();
      await refreshProof();
    },
  });
  const change = (next: Partial<ProofInputs>) => {
    upload.reset();
    setInputs((now) => ({ ...now, ...next }));
  };
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (!upload.isPending) upload.mutate(inputs);
  };
  const errors = upload.error instanceof ApiError ? toFormErrors(upload.error.fieldErrors) : {};
  return (
    <Form errors={errors} onSubmit={submit} className="flex flex-col gap-5">
      <TextField
        name="sender_name"
        label={texts.senderName}
        hint={texts.senderHint}
        autoComplete="name"
        aria-required
        value={inputs.senderName}
        onValueChange={(senderName) => change({ senderName })}
      />
      <ImageField
        name="proof_image"
        label={texts.picture}
        file={inputs.file}
        error={errors.proof_image}
        disabled={upload.isPending}
        onChange={(file) => change({ file })}
      />
      {upload.error && <ProofError error={upload.error} />}
      <Button type="submit" size="lg" busy={upload.isPending} className="self-start">
        {!upload.isPending && <Send aria-hidden className="size-4" />}
        {upload.isPending ? texts.submitting : texts.submit}
      </Button>
    </Form>
  );
}

function ProofError({ error }: { error: Error }) {
  const text = errorText(error, texts.failed);
  const isOwnCheck = text === texts.incomplete;
  return (
    <Notice tone="error" role="alert" {...(!isOwnCheck && { title: texts.failedTitle })}>
      {text}
    </Notice>
  );
}
