import { type Channel, DELIVERY_RETENTION_DAYS, type Delivery } from "@shared/contract/channels.ts";
import { useMutation } from "@tanstack/react-query";
import { errorText } from "../../lib/api/errors.ts";
import { formatPlural } from "../../lib/format.ts";
import { Button } from "../../ui/button.tsx";
import { Skeleton } from "../../ui/card.tsx";
import { NextPage } from "../../ui/load-error.tsx";
import { LocalTime } from "../../ui/local-time.tsx";
import { showToast } from "../../ui/show-toast.ts";
import { resendDelivery, useDeliveries } from "./api.ts";
import { MESSAGE_LABELS, STATUS_COLORS, STATUS_LABELS } from "./texts.ts";

export function DeliveryLog({ channel }: { channel: Channel }) {
  const query = useDeliveries(channel);
  const deliveries = query.data ?? [];
  return (
    <div className="flex flex-col gap-4">
      {query.data && (
        <p className="text-sm text-ink-faint text-pretty">
          {deliveries.length === 0 ? "No deliveries yet. " : "The newest first. "}
          They are kept for {DELIVERY_RETENTION_DAYS} days.
        </p>
      )}
      {deliveries.length > 0 && (
        <ul aria-label={`Deliveries to ${channel.label}`} className="flex flex-col gap-4">
          {deliveries.map((delivery) => (
            <DeliveryItem key={delivery.id} channel={channel} delivery={delivery} />
          ))}
        </ul>
      )}
      <NextPage
        query={query}
        failed="Failed to load the deliveries."
        showsReason
        skeleton={<Skeleton className="h-24" />}
      >
        Load more
      </NextPage>
    </div>
  );
}

function DeliveryItem({ channel, delivery }: { channel: Channel; delivery: Delivery }) {
  const { event, at, status, next_attempt_at: nextAt } = delivery;
  const resend = useMutation({
    mutationFn: () => resendDelivery(channel, delivery),
    onError: (error) =>
      showToast({
        title: "The message was not sent again",
        description: errorText(error, "Please try again."),
      }),
  });
  const details = detailsOf(delivery);
  return (
    <li className="flex items-start justify-between gap-4 text-sm">
      <div className="min-w-0">
        <p className="flex flex-wrap gap-x-3">
          <span className="font-medium">{MESSAGE_LABELS[event]}</span>
          <span className={`font-medium ${STATUS_COLORS[status]}`}>
            {status === "retrying" && delivery.attempts > 0 ? "Retrying" : STATUS_LABELS[status]}
          </span>
        </p>
        <p className="figures mt-0.5 text-ink-muted wrap-anywhere">
          <LocalTime iso={at} />
          {details && ` · ${details}`}
        </p>
        {nextAt !== null && delivery.attempts > 0 && (
          <p className="figures text-ink-faint">
            Next attempt <LocalTime iso={nextAt} />
          </p>
        )}
      </div>
      {status !== "retrying" && (
        <Button
          variant="secondary"
          size="sm"
          busy={resend.isPending}
          aria-label={`Send again: ${MESSAGE_LABELS[event]}`}
          onClick={() => resend.mutate()}
        >
          Resend
        </Button>
      )}
    </li>
  );
}

function detailsOf({ attempts, response_status: code, error, status }: Delivery): string {
  const parts = [
    attempts > 0 && formatPlural(attempts, "attempt"),
    code !== null && `response ${code}`,
    error,
    status === "suppressed" && error === null && "too late to be of use, or the channel was off",
  ];
  return parts.filter(Boolean).join(" · ");
}
