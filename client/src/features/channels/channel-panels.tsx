import { Form } from "@base-ui/react/form";
import {
  ADMIN_CHANNEL_EVENTS,
  type Channel,
  type ChannelEvent,
  channelChangeSchema,
  type Delivery,
  type DeliveryStatus,
  factsOfEvent,
  type MessageType,
  USER_CHANNEL_EVENTS,
} from "@shared/contract/channels.ts";
import { DELIVERY_RETENTION_DAYS } from "@shared/contract/constants.ts";
import { useMutation } from "@tanstack/react-query";
import { type ReactNode, useId, useState } from "react";
import { parseForm, useFormRequest } from "../../lib/api/forms.ts";
import { formatPlural } from "../../lib/format.ts";
import { useSession } from "../../lib/session.ts";
import { ErrorAlert } from "../../ui/alert.tsx";
import { Button } from "../../ui/button.tsx";
import { Skeleton } from "../../ui/card.tsx";
import { NextPage } from "../../ui/load-states.tsx";
import { LocalTime } from "../../ui/local-time.tsx";
import { failureToast } from "../../ui/show-toast.ts";
import { FormActions, TextField } from "../../ui/text-field.tsx";
import { resendDelivery, useChangeChannel, useDeliveries } from "./api.ts";

const messageLabel = (type: MessageType): string => {
  if (type === "channel.test") return "Test message";
  return type === "channel.summary" ? "Summary of your quiet hours" : factsOfEvent(type).when;
};

export const STATUS_LABELS: Record<DeliveryStatus, string> = {
  delivered: "Delivered",
  retrying: "Being sent",
  failed: "Failed",
  suppressed: "Not sent",
};

export const STATUS_COLORS: Record<DeliveryStatus, string> = {
  delivered: "text-buy",
  retrying: "text-wait",
  failed: "text-danger",
  suppressed: "text-ink-muted",
};

export function DeliveryLog({ channel }: { channel: Channel }) {
  const query = useDeliveries(channel);
  const deliveries = query.data ?? [];
  return (
    <div className="flex flex-col gap-4">
      {query.data && (
        <p className="text-sm text-ink-faint text-pretty">
          {deliveries.length === 0 ? "No deliveries yet. " : "Newest first. "}
          Deliveries are kept for {DELIVERY_RETENTION_DAYS} days.
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
    onError: failureToast("The message was not sent again"),
  });
  const details = detailsOf(delivery);
  return (
    <li className="flex items-start justify-between gap-4 text-sm">
      <div className="min-w-0">
        <p className="flex flex-wrap gap-x-3">
          <span className="font-medium">{messageLabel(event)}</span>
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
          aria-label={`Send again: ${messageLabel(event)}`}
          onClick={() => resend.mutate()}
        >
          Resend
        </Button>
      )}
    </li>
  );
}

function detailsOf(delivery: Delivery): string {
  const { attempts, response_status: code, error, status } = delivery;
  const { passed_on_to: to, passed_on_from: from } = delivery;
  const parts = [
    from !== undefined && `in place of ${from}`,
    attempts > 0 && formatPlural(attempts, "attempt"),
    code !== null && `response ${code}`,
    error,
    status === "suppressed" && error === null && "too late to be useful, or the channel was off",
    to !== undefined && `passed on to ${to}`,
  ];
  return parts.filter(Boolean).join(" · ");
}

interface ChannelSettingsProps {
  channel: Channel;
  onClose(): void;
  /** Settings that are not part of the form. */
  children: ReactNode;
}

export function ChannelSettings({ channel, onClose, children }: ChannelSettingsProps) {
  const [events, setEvents] = useState<readonly ChannelEvent[]>(channel.events);
  const isAdmin = useSession((session) => session.isAdmin);
  const change = useChangeChannel(channel);
  const { formProps, isPending, problem } = useFormRequest(async ({ label, min_confidence }) => {
    const body = { label, events, min_confidence: Number(min_confidence) };
    await change.mutateAsync(parseForm(channelChangeSchema, body));
    onClose();
  });
  const toggle = (event: ChannelEvent, isChosen: boolean) =>
    setEvents(isChosen ? [...events, event] : events.filter((other) => other !== event));
  return (
    <div className="flex flex-col gap-5">
      <Form
        {...formProps}
        aria-label={`Settings of ${channel.label}`}
        className="flex flex-col gap-5"
      >
        <EventChoice
          title="Send when"
          options={USER_CHANNEL_EVENTS}
          chosen={events}
          onToggle={toggle}
        />
        {isAdmin && (
          <EventChoice
            title="As an administrator, also when"
            options={ADMIN_CHANNEL_EVENTS}
            chosen={events}
            onToggle={toggle}
          />
        )}
        <div className="grid items-start gap-4 sm:grid-cols-2">
          <TextField
            name="min_confidence"
            label="Minimum confidence of signals (%)"
            defaultValue={String(channel.min_confidence)}
            inputMode="decimal"
            autoComplete="off"
          />
          <TextField name="label" label="Name" defaultValue={channel.label} autoComplete="off" />
        </div>
        <ErrorAlert message={problem?.message} />
        <FormActions busy={isPending} onCancel={onClose} />
      </Form>
      {children}
    </div>
  );
}

interface EventChoiceProps {
  title: string;
  options: readonly ChannelEvent[];
  chosen: readonly ChannelEvent[];
  onToggle(event: ChannelEvent, isChosen: boolean): void;
}

function EventChoice({ title, options, chosen, onToggle }: EventChoiceProps) {
  const id = useId();
  return (
    <fieldset>
      <legend className="text-sm font-medium text-ink-muted">{title}</legend>
      <div className="mt-2 grid gap-x-6 gap-y-1 sm:grid-cols-2">
        {options.map((event) => (
          <label
            key={event}
            htmlFor={`${id}${event}`}
            className="flex cursor-pointer items-start gap-2.5 py-1 text-sm"
          >
            <input
              id={`${id}${event}`}
              type="checkbox"
              checked={chosen.includes(event)}
              onChange={({ currentTarget }) => onToggle(event, currentTarget.checked)}
              className="mt-0.5 size-4 shrink-0 cursor-pointer accent-accent"
            />
            {factsOfEvent(event).when}
          </label>
        ))}
      </div>
    </fieldset>
  );
}
