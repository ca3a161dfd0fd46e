import {
  type Channel,
  type CreatedChannel,
  type RotatedSecret,
  SECRET_OVERLAP_HOURS,
  TELEGRAM_LINK_MINUTES,
} from "@shared/contract/channels.ts";
import { useMutation } from "@tanstack/react-query";
import { ExternalLink } from "lucide-react";
import { useId, useState } from "react";
import { renderSVG } from "uqr";
import { errorText } from "../../lib/api/errors.ts";
import { apiOrigin } from "../../lib/env.ts";
import { formatConfidence, formatDateTime, formatElapsed, formatPlural } from "../../lib/format.ts";
import { useNow } from "../../lib/use-now.ts";
import { Alert, ErrorAlert } from "../../ui/alert.tsx";
import { Button, buttonClass, linkClass } from "../../ui/button.tsx";
import { CHANNEL_NAMES, ChannelIcon } from "../../ui/channel-kind.tsx";
import { ConfirmButton } from "../../ui/confirm-button.tsx";
import { CopyButton } from "../../ui/copy-button.tsx";
import { Switch } from "../../ui/fields.tsx";
import { LocalTime } from "../../ui/local-time.tsx";
import { failureToast } from "../../ui/show-toast.ts";
import {
  addChannel,
  linkExpiry,
  removeChannel,
  rotateSecret,
  testChannel,
  useChangeChannel,
} from "./api.ts";
import { ChannelSettings, DeliveryLog, STATUS_COLORS, STATUS_LABELS } from "./channel-panels.tsx";
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
  "password-changed": "Turned off when your password was changed. Turn it on if it is yours",
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

interface TelegramLinkProps {
  channel: Channel;
  /** Absent if the channel was added before this page was opened. */
  link: string | undefined;
  onCreated(channel: CreatedChannel): void;
}

/** How to finish adding Telegram. */
function TelegramLink({ channel, link, onCreated }: TelegramLinkProps) {
  const leftMs = linkExpiry(channel) - useNow(link !== undefined);
  if (!link || leftMs <= 0) return <NewLink channel={channel} onCreated={onCreated} />;
  return (
    <div className="flex animate-enter flex-col gap-5 rounded-control bg-raised p-5 sm:flex-row sm:items-center">
      {/* An image shows the SVG without running anything in it. */}
      <img
        src={`data:image/svg+xml;utf8,${encodeURIComponent(renderSVG(link))}`}
        alt="QR code with the link to Telegram"
        className="size-36 shrink-0 self-center rounded-lg bg-white p-1.5"
      />
      <div className="flex flex-col items-start gap-3">
        <p className="text-sm leading-relaxed text-ink-muted text-pretty">
          Scan the code with your phone, or open the link here. Then press{" "}
          <strong className="font-medium text-ink">Start</strong> in Telegram.
        </p>
        <a href={link} target="_blank" rel="noreferrer" className={buttonClass()}>
          Open Telegram
          <ExternalLink aria-hidden className="size-4" />
        </a>
        <p className="figures text-sm text-ink-faint">
          Expires in <span role="timer">{formatElapsed(leftMs)}</span>
        </p>
      </div>
    </div>
  );
}

function NewLink({ channel, onCreated }: Omit<TelegramLinkProps, "link">) {
  const renew = useMutation({
    mutationFn: async () => {
      await removeChannel(channel);
      onCreated(await addChannel({ kind: "telegram" }));
    },
  });
  return (
    <div className="flex flex-col items-start gap-3">
      <p className="text-sm leading-relaxed text-ink-muted text-pretty">
        A link to Telegram works for {TELEGRAM_LINK_MINUTES} minutes and is shown once.
      </p>
      <ErrorAlert message={renew.error?.message} className="self-stretch" />
      <Button size="sm" variant="secondary" busy={renew.isPending} onClick={() => renew.mutate()}>
        Get a new link
      </Button>
    </div>
  );
}

/** Of a webhook that was just added, or with the time until which the one before still signs. */
type ShownSecret = Partial<RotatedSecret>;

interface WebhookSecretProps {
  secret: ShownSecret;
  onSaved(): void;
}

const WebhookSecret = ({ secret: { secret = "", ...old }, onSaved }: WebhookSecretProps) => (
  <Alert tone="success" role="status" title="Copy the secret now: it is not shown again">
    <p>
      Use it to verify our messages on your server. <Documentation />
      {old.previous_until &&
        ` The old secret also signs until ${formatDateTime(old.previous_until)}.`}
    </p>
    <code className="my-3 block rounded-md bg-canvas px-3 py-2 break-all text-ink">{secret}</code>
    <span className="flex flex-wrap gap-3">
      <CopyButton text={secret} name="the secret" />
      <Button size="sm" onClick={onSaved}>
        I have saved it
      </Button>
    </span>
  </Alert>
);

interface ReplaceSecretProps {
  channel: Channel;
  onReplaced(secret: RotatedSecret): void;
}

function ReplaceSecret({ channel, onReplaced }: ReplaceSecretProps) {
  const run = async () => {
    onReplaced(await rotateSecret(channel));
    return "The secret is replaced";
  };
  return (
    <div className="flex flex-wrap items-center justify-between gap-3 border-t border-line pt-5">
      <p className="text-sm text-ink-muted">
        Messages are signed with a secret. <Documentation />
      </p>
      <ConfirmButton
        label="Replace secret"
        variant="secondary"
        title={`Replace the secret of ${channel.label}?`}
        run={run}
        failureText={(error) => errorText(error, "The secret could not be replaced.")}
      >
        For {SECRET_OVERLAP_HOURS} hours, messages are signed with the old and the new secret.
        Switch your server to the new one in that time.
      </ConfirmButton>
    </div>
  );
}

const Documentation = () => (
  <a href={`${apiOrigin}/openapi.json`} target="_blank" rel="noreferrer" className={linkClass}>
    Format of the messages (OpenAPI)
  </a>
);
