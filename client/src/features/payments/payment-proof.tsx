import { Form } from "@base-ui/react/form";
import type { Me, PaymentProof as Proof, Verification } from "@shared/contract/account.ts";
import { type ActionDone, actionDoneSchema } from "@shared/contract/admin.ts";
import { MESSAGES, PROOF_ANCHOR } from "@shared/contract/constants.ts";
import { REJECTION_TEXTS } from "@shared/contract/events/account-events.ts";
import { proofFormSchema } from "@shared/contract/files.ts";
import { type Plan, type PlanId, planById } from "@shared/contract/plans.ts";
import type { ProofRejection } from "@shared/contract/proof-rejection.ts";
import { useMutation } from "@tanstack/react-query";
import { Hourglass, Send } from "lucide-react";
import { type FormEvent, useEffect, useRef, useState } from "react";
import { useLocation, useNavigate } from "react-router-dom";
import { proofRejection, refetchMe, useMe, waitingProof } from "../../domain/me.ts";
import { usePlans } from "../../domain/plans.ts";
import { api } from "../../lib/api/client.ts";
import { ApiError, toFormErrors } from "../../lib/api/errors.ts";
import { parseForm } from "../../lib/api/forms.ts";
import { formatCount } from "../../lib/format.ts";
import { onLiveEvent } from "../../lib/realtime/events.ts";
import { Alert, ErrorAlert } from "../../ui/alert.tsx";
import { Button } from "../../ui/button.tsx";
import { Skeleton } from "../../ui/card.tsx";
import { ImageDialog } from "../../ui/dialog.tsx";
import { SelectField } from "../../ui/fields.tsx";
import { ImageField } from "../../ui/image-field.tsx";
import { LocalTime } from "../../ui/local-time.tsx";
import { TextField } from "../../ui/text-field.tsx";
import { useOfferedPayments } from "./api.ts";
import { forgetChosenPlan, readChosenPlan, renewalNote } from "./chosen-plan.ts";

export function PaymentProof() {
  const account = useMe();
  const section = useRef<HTMLElement>(null);
  const { hash, pathname, search } = useLocation();
  const navigate = useNavigate();
  const [happened, setHappened] = useState<"sent" | "removed" | null>(null);
  const [replacing, setReplacing] = useState(false);
  useEffect(
    () => onLiveEvent((event) => event.name === "proof:deleted" && setHappened("removed")),
    [],
  );
  useEffect(() => {
    if (hash === `#${PROOF_ANCHOR}`) section.current?.scrollIntoView({ block: "center" });
  }, [hash]);
  const sent = () => {
    setHappened("sent");
    setReplacing(false);
    forgetChosenPlan();
    // The link to this form has served: with it, the form would stay open once the proof is accepted.
    if (hash !== "") void navigate(pathname + search, { replace: true, preventScrollReset: true });
  };
  const proof = waitingProof(account);
  const rejection = proofRejection(account);
  return (
    <section ref={section} aria-labelledby="proof-title" className="flex flex-col gap-5">
      <header>
        <h3 id="proof-title" className="text-lg font-semibold tracking-tight">
          Payment proof
        </h3>
        {!proof && (
          <p className="mt-1 text-ink-muted text-pretty">
            Already paid? Upload a screenshot or photo of the payment and enter the sender's name.
          </p>
        )}
      </header>
      <div role="status" className="empty:hidden">
        {happened === "sent" && <Alert tone="success">{MESSAGES.proofSubmitted}</Alert>}
        {rejection && account?.payment_proof && (
          <RejectedProof rejection={rejection} proof={account.payment_proof} />
        )}
        {happened === "removed" && !proof && (
          <Alert tone="warning" title="Your proof was removed">
            An administrator deleted your proof. Please submit a new one.
          </Alert>
        )}
      </div>
      {!account && <Skeleton className="h-56 rounded-control" />}
      {proof && <SentProof proof={proof} replacing={replacing} onReplace={setReplacing} />}
      {account && (!proof || replacing) && <ProofForm account={account} onSent={sent} />}
    </section>
  );
}

interface RejectedProofProps {
  rejection: ProofRejection;
  proof: Proof;
}

/** Says why the last proof was rejected, until another one is sent. */
function RejectedProof({ rejection: { reason, note }, proof }: RejectedProofProps) {
  const text = REJECTION_TEXTS[reason];
  return (
    <Alert tone="error" title="Your payment proof was rejected">
      {text && <p className="text-ink">{text}</p>}
      {note && <p className="mt-1 whitespace-pre-wrap text-ink wrap-anywhere">{note}</p>}
      <p className="mt-1">
        It was from {proof.sender_name}
        {proof.reviewed_at && (
          <>
            , reviewed <LocalTime iso={proof.reviewed_at} />
          </>
        )}
        . {ADVICE[reason]} Submit a new proof below.
      </p>
    </Alert>
  );
}

const ADVICE: Record<ProofRejection["reason"], string> = {
  "amount-too-low": "Pay the rest and show both payments, or choose another plan.",
  unreadable: "Show amount, date and recipient of the payment.",
  "wrong-account": "The payment page lists them.",
  duplicate: "Each payment counts once.",
  other: "",
};

/** No event reports how many blocks have confirmed a payment. */
const VERIFICATION_POLL_MS = 5_000;

/** How far the check of the payment on its blockchain is. */
function VerificationState({ verification }: { verification: Verification }) {
  const { state, confirmations, needed } = verification;
  const isWatched = state === "waiting" || state === "confirming";
  useEffect(() => {
    if (!isWatched) return;
    const timer = setInterval(() => void refetchMe(), VERIFICATION_POLL_MS);
    return () => clearInterval(timer);
  }, [isWatched]);
  return (
    <p role="status" className="figures">
      {state === "waiting" && "Looking for your payment on its blockchain"}
      {state === "confirming" && `${confirmations} of ${needed} confirmations`}
      {state === "manual" && "An administrator will check your payment"}
      {state === "approved" && "Your payment is confirmed"}
    </p>
  );
}

interface SentProofProps {
  proof: Proof;
  replacing: boolean;
  onReplace(replacing: boolean): void;
}

function SentProof({ proof, replacing, onReplace }: SentProofProps) {
  const plans = usePlans();
  return (
    <div className="flex flex-wrap items-center gap-x-5 gap-y-4 rounded-control border border-line bg-canvas p-4">
      <ImageDialog
        src={proof.url}
        title={`Payment proof of ${proof.sender_name}`}
        onExpired={() => void refetchMe()}
        className="size-24"
      />
      <div className="flex min-w-48 flex-1 flex-col gap-1 text-sm">
        <p className="flex items-center gap-2 font-medium text-wait">
          <Hourglass aria-hidden className="size-4" />
          Proof under review
        </p>
        {proof.verification && <VerificationState verification={proof.verification} />}
        {proof.plan && (
          <p>
            <span className="text-ink-faint">Plan</span> {describePlan(planById(proof.plan, plans))}
          </p>
        )}
        {proof.renewal && <p>Renews your subscription</p>}
        <p className="break-words">
          <span className="text-ink-faint">Sent by</span> {proof.sender_name}
        </p>
        <p className="figures">
          <span className="text-ink-faint">Submitted</span> <LocalTime iso={proof.submitted_at} />
        </p>
      </div>
      <Button variant="secondary" size="sm" onClick={() => onReplace(!replacing)}>
        {replacing ? "Cancel" : "Replace proof"}
      </Button>
    </div>
  );
}

const describePlan = ({ name, monthlyUsd }: Plan) =>
  `${name}, $${formatCount(monthlyUsd)} per month`;

const noPlan = { value: "", label: "Choose the plan that you paid for" } as const;

interface ProofFormProps {
  account: Me;
  onSent(): void;
}

function ProofForm({ account, onSent }: ProofFormProps) {
  const { payment_proof, subscription } = account;
  const plans = usePlans();
  const planOptions = plans.map((plan) => ({ value: plan.id, label: describePlan(plan) }));
  const [inputs, setInputs] = useState<ProofInputs>(() => ({
    plan: readChosenPlan() ?? payment_proof?.plan ?? subscription?.plan ?? "",
    senderName: "",
    transactionHash: "",
    file: null,
  }));
  const upload = useMutation({
    mutationFn: submitProof,
    onSuccess: async () => {
      onSent();
      await refetchMe();
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
  const isIncomplete = upload.error?.message === MESSAGES.proofIncomplete;
  const errors = upload.error instanceof ApiError ? toFormErrors(upload.error.fieldErrors) : {};
  return (
    <Form errors={errors} onSubmit={submit} className="flex flex-col gap-5">
      <SelectField
        label="Plan"
        value={inputs.plan}
        options={[noPlan, ...planOptions]}
        onChange={(plan) => change({ plan })}
      />
      {subscription && subscription.status !== "ended" && inputs.plan && (
        <p className="text-sm text-ink-muted text-pretty">
          {renewalNote(subscription, planById(inputs.plan, plans))}
        </p>
      )}
      <TextField
        name="sender_name"
        label="Sender name"
        hint="The name on the account you paid from."
        autoComplete="name"
        aria-required
        value={inputs.senderName}
        onValueChange={(senderName) => change({ senderName })}
      />
      <TransactionField
        value={inputs.transactionHash}
        onChange={(transactionHash) => change({ transactionHash })}
      />
      <ImageField
        name="proof_image"
        label="Proof image"
        file={inputs.file}
        error={errors.proof_image}
        disabled={upload.isPending}
        onChange={(file) => change({ file })}
      />
      <ErrorAlert
        title={isIncomplete ? null : "Your proof was not submitted"}
        message={upload.error?.message}
      />
      <Button Icon={Send} type="submit" size="lg" busy={upload.isPending} className="self-start">
        {upload.isPending ? "Uploading..." : "Submit proof"}
      </Button>
    </Form>
  );
}

const UPLOAD_TIMEOUT_MS = 120_000;

interface ProofInputs {
  plan: PlanId | "";
  senderName: string;
  transactionHash: string;
  file: File | null;
}

async function submitProof(inputs: ProofInputs): Promise<ActionDone> {
  const { plan, senderName, file } = inputs;
  if (senderName.trim() === "" || !file) {
    throw new ApiError(MESSAGES.proofIncomplete, { status: 0, code: "invalid-input" });
  }
  const data = parseForm(proofFormSchema, {
    sender_name: senderName,
    transaction_hash: inputs.transactionHash,
  });
  const body = new FormData();
  body.set("sender_name", data.sender_name);
  if (plan) body.set("plan", plan);
  if (data.transaction_hash) body.set("transaction_hash", data.transaction_hash);
  body.set("proof_image", file);
  return api({
    method: "POST",
    path: "/submit-payment-proof",
    body,
    timeoutMs: UPLOAD_TIMEOUT_MS,
    schema: actionDoneSchema,
  });
}

interface TransactionFieldProps {
  value: string;
  onChange(value: string): void;
}

/** Asks for the hash of a payment in USDT, if the seller accepts them. */
function TransactionField({ value, onChange }: TransactionFieldProps) {
  const { usdt } = useOfferedPayments().data ?? {};
  if (!usdt) return null;
  const networks = usdt.map(({ network }) => network).join(" or ");
  return (
    <TextField
      name="transaction_hash"
      label="Transaction hash (optional)"
      hint={`If you paid in USDT on ${networks}. Your wallet or exchange shows it, also as TXID.`}
      autoComplete="off"
      spellCheck={false}
      value={value}
      onValueChange={onChange}
    />
  );
}
