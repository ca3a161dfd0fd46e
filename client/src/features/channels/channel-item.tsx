import { type ChannelKind, factsOfKind } from "@shared/contract/channel-kinds/channel-kinds.ts";
import type { Channel, ChannelDisabledReason } from "@shared/contract/channels.ts";
import { useMutation } from "@tanstack/react-query";
import { useId, useState } from "react";
import { errorText } from "../../lib/api/errors.ts";
import { formatConfidence, formatPlural } from "../../lib/format.ts";
import { ErrorAlert } from "../../ui/alert.tsx";
import { Button } from "../../ui/button.tsx";
import { ConfirmButton } from "../../ui/confirm-button.tsx";
import { Switch } from "../../ui/fields.tsx";
import { LocalTime } from "../../ui/local-time.tsx";
import { failureToast } from "../../ui/show-toast.ts";
import { removeChannel, testChannel, useChangeChannel } from "./api.ts";
import { ChannelSettings, DeliveryLog, STATUS_COLORS, STATUS_LABELS } from "./channel-panels.tsx";
import type { NoticeProps } from "./kinds/channel-kind.ts";
import { CHANNEL_KINDS } from "./kinds/channel-kinds.ts";

type Panel = "deliveries" | "settings";

export function ChannelItem({ channel, shown, onShown }: NoticeProps) {
  const [panel, setPanel] = useState<Panel | null>(null);
  const { Notice, Settings } = CHANNEL_KINDS[channel.kind];
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
      {Notice && <Notice channel={channel} shown={shown} onShown={onShown} />}
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
              {Settings && (
                <Settings
                  channel={channel}
                  onShown={(next) => {
                    onShown(channel, next);
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
  const { kind, label, events, min_confidence: confidence, last_delivery: last } = channel;
  const { name } = factsOfKind(kind);
  const { Icon, useFact } = CHANNEL_KINDS[kind];
  const eventCount = formatPlural(events.length, "event");
  const facts = [
    label !== name && name,
    useFact?.(channel),
    confidence > 0 ? `${eventCount}, signals from ${formatConfidence(confidence)}` : eventCount,
  ];
  return (
    <header className="flex items-start gap-4">
      <span className="flex size-10 shrink-0 items-center justify-center rounded-control bg-raised">
        <Icon aria-hidden className="size-5 text-ink-muted" strokeWidth={1.75} />
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

/** Why a channel is off that its user has not turned off. */
const DISABLED_TEXTS: Record<ChannelDisabledReason, (kind: ChannelKind) => string> = {
  gone: (kind) => `Turned off: ${factsOfKind(kind).gone.reason}`,
  unsubscribed: () => "Turned off with the link in an email",
  "password-changed": () => "Turned off when your password was changed. Turn it on if it is yours",
};

/** What the switch does not say. */
function State({ channel: { kind, linked, disabled_reason: reason } }: { channel: Channel }) {
  const text = linked === false ? "Waiting for Telegram" : reason && DISABLED_TEXTS[reason](kind);
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
  const { kind, label } = channel;
  const { remove = removeChannel } = CHANNEL_KINDS[kind];
  const run = async () => {
    await remove(channel);
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
