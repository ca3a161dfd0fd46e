import { Form } from "@base-ui/react/form";
import {
  ADMIN_CHANNEL_EVENTS,
  type Channel,
  type ChannelEvent,
  channelChangeSchema,
  USER_CHANNEL_EVENTS,
} from "@shared/contract/channels.ts";
import { type ReactNode, useId, useState } from "react";
import { parseForm, useFormRequest } from "../../lib/api/forms.ts";
import { useSession } from "../../lib/session.ts";
import { ErrorAlert } from "../../ui/alert.tsx";
import { FormActions } from "../../ui/form-actions.tsx";
import { TextField } from "../../ui/text-field.tsx";
import { useChangeChannel } from "./api.ts";
import { EVENT_LABELS } from "./texts.ts";

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
            {EVENT_LABELS[event]}
          </label>
        ))}
      </div>
    </fieldset>
  );
}
