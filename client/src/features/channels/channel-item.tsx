import type { Channel, CreatedChannel } from "@shared/contract/channels.ts";
import { useMutation } from "@tanstack/react-query";
import { useId, useState } from "react";
import { errorText } from "../../lib/api/errors.ts";
import { formatConfidence, formatPlural } from "../../lib/format.ts";
import { ErrorAlert } from "../../ui/alert.tsx";
import { Button } from "../../ui/button.tsx";
import { CHANNEL_NAMES, ChannelIcon } from "../../ui/channel-kind.tsx";
import { ConfirmButton } from "../../ui/confirm-button.tsx";
import { Switch } from "../../ui/fields.tsx";
import { LocalTime } from "../../ui/local-time.tsx";
import { failureToast } from "../../ui/show-toast.ts";
import { removeChannel, testChannel, useChangeChannel } from "./api.ts";
import { ChannelSettings, DeliveryLog, STATUS_COLORS, STATUS_LABELS } from "./channel-panels.tsx";
import { ReplaceSecret, type ShownSecret, TelegramLink, WebhookSecret } from "./channel-setup.tsx";
import { removePushChannel, usePushEndpoints } from "./push.ts";

interface ChannelItemProps {
  channel: Channel;
  /** If it was added on this page. */
  created: CreatedChannel | undefined;
  onCreated(channel: CreatedChannel): void;
}

type Panel = "deliveries" | "settings";

export function ChannelItem({ channel, created, onCreated }: ChannelItemProps) {
  const [panel, setPanel] = useState<Panel | null>(null);
  const [secret, setSecret] = useState<ShownSecret | null>(created?.secret ? created : null);
  const panelId = useId();
  const isLinked = channel.linked !== false;
  const test = useMutation({
    mutationFn: () => testChannel(channel),
    onSuccess: () => setPanel("deliveries"),
  });
  const toggle = (name: Panel) => ({
    "aria-expanded": panel === name,
    "aria-controls": panel === name ? panelId : undefined,
    onClick: () => setPanel(panel === name ? null : name),
  });
  return (
    <article aria-label={channel.label} className="flex flex-col gap-4 p-6">
      <Header channel={channel} />
      {!isLinked && <TelegramLink channel={channel} link={created?.link} onCreated={onCreated} />}
      {secret && <WebhookSecret secret={secret} onSaved={() => setSecret(null)} />}
      <div className="-mx-3 -my-1 flex flex-wrap items-center gap-x-1 gap-y-1">
        {isLinked && (
          <Button variant="ghost" size="sm" busy={test.isPending} onClick={() => test.mutate()}>
            Test
          </Button>
        )}
        <Button variant="ghost" size="sm" {...toggle("deliveries")}>
          Deliveries
        </Button>
        <Button variant="ghost" size="sm" {...toggle("settings")}>
          Settings
        </Button>
        <DeleteButton channel={channel} />
      </div>
      <ErrorAlert title="The test was not sent." message={test.error?.message} />
      {panel !== null && (
        <div id={panelId} className="animate-enter border-t border-line pt-5">
          {panel === "deliveries" && <DeliveryLog channel={channel} />}
          {panel === "settings" && (
            <ChannelSettings channel={channel} onClose={() => setPanel(null)}>
              {channel.kind === "webhook" && (
                <ReplaceSecret
                  channel={channel}
                  onReplaced={(replaced) => {
                    setSecret(replaced);
                    setPanel(null);
                  }}
                />
              )}
            </ChannelSettings>
          )}
        </div>
      )}
    </article>
  );
}

function Header({ channel }: { channel: Channel }) {
  const { id, kind, label, events, min_confidence: confidence, last_delivery: last } = channel;
  const isHere = usePushEndpoints((state) => state.endpoints[id] !== undefined);
  const eventCount = formatPlural(events.length, "event");
  const facts = [
    label !== CHANNEL_NAMES[kind] && CHANNEL_NAMES[kind],
    isHere && "this browser",
    confidence > 0 ? `${eventCount}, signals from ${formatConfidence(confidence)}` : eventCount,
  ];
  return (
    <header className="flex items-start gap-4">
      <span className="flex size-10 shrink-0 items-center justify-center rounded-control bg-raised">
        <ChannelIcon kind={kind} className="size-5 text-ink-muted" />
      </span>
      <div className="min-w-0 grow">
        <h4 className="font-medium wrap-anywhere">{label}</h4>
        <State channel={channel} />
        <p className="mt-0.5 text-sm text-ink-muted">{facts.filter(Boolean).join(" · ")}</p>
        <p className="text-sm text-ink-faint">
          {last ? (
            <>
              Last message <LocalTime iso={last.at} />:{" "}
              <span className={STATUS_COLORS[last.status]}>
                {STATUS_LABELS[last.status].toLowerCase()}
              </span>
            </>
          ) : (
            "No messages yet"
          )}
        </p>
      </div>
      {channel.linked !== false && <EnabledSwitch channel={channel} />}
    </header>
  );
}

const REASONS = {
  gone: "Turned off: the receiver refused messages",
  unsubscribed: "Turned off with the link in an email",
} as const;

/** What the switch does not say. */
function State({ channel: { linked, disabled_reason: reason } }: { channel: Channel }) {
  const text = linked === false ? "Waiting for Telegram" : reason && REASONS[reason];
  return text && <p className="mt-0.5 text-sm font-medium text-wait">{text}</p>;
}

function EnabledSwitch({ channel }: { channel: Channel }) {
  const change = useChangeChannel(channel);
  const { enabled, label } = channel;
  const title = `${label} could not be turned ${enabled ? "off" : "on"}`;
  const onError = failureToast(title);
  return (
    <span className="mt-0.5 flex">
      <Switch
        name={`Send to ${label}`}
        checked={change.isPending ? !enabled : enabled}
        disabled={change.isPending}
        onChange={(next) => change.mutate({ enabled: next }, { onError })}
      />
    </span>
  );
}

function DeleteButton({ channel }: { channel: Channel }) {
  const { id, kind, label } = channel;
  const run = async () => {
    await (kind === "web-push" ? removePushChannel(id) : removeChannel(channel));
    return `${label} deleted`;
  };
  return (
    <ConfirmButton
      label="Delete"
      variant="ghostDanger"
      title={`Delete ${label}?`}
      run={run}
      failureText={(error) => errorText(error, "The channel could not be deleted.")}
    >
      It gets no more messages, and its delivery log is deleted.
    </ConfirmButton>
  );
}
