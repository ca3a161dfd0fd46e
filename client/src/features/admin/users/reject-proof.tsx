import type { UserCard } from "@shared/contract/account.ts";
import { PROOF_REJECTION_REASONS } from "@shared/contract/constants.ts";
import { rejectionText } from "@shared/contract/events/account-events.ts";
import { type ProofRejection, rejectProofSchema } from "@shared/contract/proof-rejection.ts";
import { useState } from "react";
import { parseForm, useFormRequest } from "../../../lib/api/forms.ts";
import type { ButtonLook } from "../../../ui/button.tsx";
import { DialogForm, FormDialog } from "../../../ui/dialog.tsx";
import { TextField } from "../../../ui/text-field.tsx";
import { offerIfChanged } from "../admin-state.ts";
import { rejectProof, runAndConfirm } from "../api.ts";

type Reason = ProofRejection["reason"];

const labels: Record<Reason, string> = {
  "amount-too-low": "Amount too low",
  unreadable: "Unreadable",
  "wrong-account": "Wrong account",
  duplicate: "Duplicate",
  other: "Other",
};

interface RejectProofProps {
  user: UserCard;
  look: ButtonLook;
  shortcut?: string;
  disabled?: boolean;
  onRejected?(): void;
}

/** Rejects the proof that is shown, with a reason that its user reads. */
export function RejectProofButton({ user, onRejected, ...button }: RejectProofProps) {
  return (
    <FormDialog
      {...button}
      label="Reject proof"
      title={`Reject the payment proof of ${user.username}?`}
      form={(close) => (
        <RejectForm
          user={user}
          onDone={() => {
            close();
            onRejected?.();
          }}
        />
      )}
    />
  );
}

function RejectForm({ user, onDone }: { user: UserCard; onDone(): void }) {
  const { username, payment_proof: proof } = user;
  const [reason, setReason] = useState<Reason>(
    proof && "duplicate_of" in proof ? "duplicate" : "amount-too-low",
  );
  const [note, setNote] = useState("");
  const request = useFormRequest(async () => {
    const rejection = parseForm(rejectProofSchema, { reason, note, proof_id: proof?.id });
    await offerIfChanged(username, () => runAndConfirm(rejectProof(username, rejection)));
    onDone();
  });
  const { problem } = request;
  return (
    <DialogForm
      request={request}
      action="Reject proof"
      variant="dangerSolid"
      failure={problem && `Failed to reject the proof of ${username}. ${problem.message}`}
    >
      <fieldset className="flex flex-col gap-1">
        <legend className="sr-only">Reason</legend>
        {PROOF_REJECTION_REASONS.map((id) => (
          <label
            key={id}
            className="flex cursor-pointer items-center gap-3 rounded-control px-2 py-1.5 has-checked:bg-raised"
          >
            <input
              type="radio"
              name="reason"
              value={id}
              checked={id === reason}
              onChange={() => setReason(id)}
              className="size-4 accent-accent"
            />
            {labels[id]}
          </label>
        ))}
      </fieldset>
      <TextField
        name="note"
        label={reason === "other" ? "What is wrong" : "Note (optional)"}
        rows={2}
        maxLength={500}
        value={note}
        onValueChange={setNote}
      />
      <p className="rounded-control border border-line bg-canvas px-3 py-2 text-sm text-ink-muted">
        {username} reads:{" "}
        <q className="text-ink wrap-anywhere whitespace-pre-wrap">
          {rejectionText({ reason, note: note.trim() }) || "…"}
        </q>{" "}
        They are asked for a new proof, in the app and by email.
      </p>
    </DialogForm>
  );
}
