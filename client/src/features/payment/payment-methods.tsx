import { useQuery } from "@tanstack/react-query";
import { Wallet } from "lucide-react";
import { Link } from "react-router-dom";
import { Button } from "../../ui/button.tsx";
import { buttonClass } from "../../ui/button-class.ts";
import { Card } from "../../ui/card.tsx";
import { CopyButton } from "../../ui/copy-button.tsx";
import { Notice } from "../../ui/notice.tsx";
import { Skeleton } from "../../ui/skeleton.tsx";
import { offeredMethods, type PaymentMethod } from "./offered-methods.ts";
import { readPaymentDetails } from "./payment-api.ts";
import { paymentTexts as texts } from "./texts.ts";

const gridClass = "grid grid-cols-[minmax(0,1fr)] gap-4 md:grid-cols-2";

/** The methods that the operator has set up. */
export function PaymentMethods() {
  const { data, isError, refetch } = useQuery({
    queryKey: ["payment-details"],
    queryFn: ({ signal }) => readPaymentDetails(signal),
  });
  if (data) return <MethodCards methods={offeredMethods(data)} />;
  if (isError) return <LoadFailure onAgain={() => void refetch()} />;
  return (
    <div role="status" aria-label={texts.loading} className={gridClass}>
      <Skeleton className="h-40 rounded-card" />
      <Skeleton className="h-40 rounded-card" />
    </div>
  );
}

function MethodCards({ methods }: { methods: PaymentMethod[] }) {
  if (methods.length === 0) return <NoMethods />;
  return (
    <ul className={gridClass}>
      {methods.map(({ key, label, details }) => (
        <li key={key}>
          <Card className="flex h-full flex-col gap-3 p-5 sm:p-6">
            <div className="flex flex-wrap items-center justify-between gap-3">
              <h3 className="font-semibold tracking-tight">{label}</h3>
              <CopyButton text={details} name={label} />
            </div>
            <p className="leading-relaxed break-words whitespace-pre-line text-ink-muted">
              {details}
            </p>
          </Card>
        </li>
      ))}
    </ul>
  );
}

function LoadFailure({ onAgain }: { onAgain(): void }) {
  return (
    <Notice tone="error" role="alert">
      <p className="text-ink">{texts.failed}</p>
      <div className="mt-3 flex flex-wrap gap-3">
        <Button variant="secondary" onClick={onAgain}>
          {texts.tryAgain}
        </Button>
        <ContactLink />
      </div>
    </Notice>
  );
}

function NoMethods() {
  return (
    <div className="flex min-h-56 flex-col items-center justify-center gap-3 rounded-card border border-dashed border-line-strong p-8 text-center">
      <Wallet aria-hidden className="size-9 text-ink-faint" strokeWidth={1.5} />
      <p className="text-lg font-semibold">{texts.emptyTitle}</p>
      <p className="text-ink-muted text-pretty">{texts.empty}</p>
      <div className="mt-2">
        <ContactLink />
      </div>
    </div>
  );
}

const ContactLink = () => (
  <Link to="/contact" className={buttonClass({ variant: "secondary" })}>
    {texts.contact}
  </Link>
);
