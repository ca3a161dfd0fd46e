import { Skeleton } from "../../ui/skeleton.tsx";
import { usePaymentDetails } from "./admin-queries.ts";
import { AdminSection } from "./admin-section.tsx";
import { LoadError } from "./load-error.tsx";
import { PaymentForm } from "./payment-form.tsx";
import { adminTexts, paymentTexts as texts } from "./texts.ts";

/** How subscribers pay, to be edited. */
export function PaymentSection() {
  const query = usePaymentDetails();
  return (
    <AdminSection id="payment" title={texts.title} lead={texts.lead}>
      {query.error && !query.data && (
        <LoadError
          title={texts.loadFailed}
          error={query.error}
          busy={query.isFetching}
          onAgain={() => void query.refetch()}
        />
      )}
      {!query.error && !query.data && (
        <div role="status" aria-label={adminTexts.loading}>
          <Skeleton className="h-96 rounded-card" />
        </div>
      )}
      {query.data && <PaymentForm saved={query.data} />}
    </AdminSection>
  );
}
