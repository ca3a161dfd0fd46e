import { Form } from "@base-ui/react/form";
import {
  type Channel,
  type ChannelKind,
  type CreatedChannel,
  newChannelSchema,
} from "@shared/contract/channels.ts";
import { useMutation } from "@tanstack/react-query";
import { LoaderCircle } from "lucide-react";
import { useState } from "react";
import { useMe } from "../../domain/me.ts";
import { hasCode } from "../../lib/api/errors.ts";
import { parseForm, useFormRequest } from "../../lib/api/forms.ts";
import { useNotificationSettings } from "../../lib/notifications/notification-settings.ts";
import { Alert, ErrorAlert } from "../../ui/alert.tsx";
import { Button, TextLink } from "../../ui/button.tsx";
import { CHANNEL_NAMES, ChannelIcon } from "../../ui/channel-kind.tsx";
import { TextField } from "../../ui/text-field.tsx";
import { addChannel, refetchChannels } from "./api.ts";
import { addPushChannel, supportsPush, usePushEndpoints } from "./push.ts";

interface AddChannelProps {
  channels: readonly Channel[];
  onCreated(channel: CreatedChannel): void;
}

export function AddChannel({ channels, onCreated }: AddChannelProps) {
  const [asksForUrl, setAsksForUrl] = useState(false);
  const offers = useOffers(channels);
  const add = useMutation({
    mutationFn: async (kind: ChannelKind) => {
      if (kind === "web-push") return addPushChannel();
      onCreated(await addChannel({ kind }));
    },
    // Another tab may have been faster.
    onError: () => void refetchChannels(),
  });
  const choose = (kind: ChannelKind) => {
    add.reset();
    setAsksForUrl(kind === "webhook" && !asksForUrl);
    if (kind !== "webhook") add.mutate(kind);
  };
  return (
    <div className="flex flex-col gap-4">
      <h4 className="text-sm font-medium text-ink-muted">Add a channel</h4>
      <ul className="grid gap-3 sm:grid-cols-2">
        {offers.map(({ kind, text, isPossible = true }) => (
          <li key={kind}>
            <button
              type="button"
              disabled={!isPossible || add.isPending}
              aria-expanded={kind === "webhook" ? asksForUrl : undefined}
              onClick={() => choose(kind)}
              className="flex h-full w-full items-start gap-3 rounded-control border border-line-strong bg-raised px-4 py-3 text-left transition-colors hover:not-disabled:border-ink-faint hover:not-disabled:bg-line disabled:opacity-70"
            >
              {add.isPending && add.variables === kind ? (
                <LoaderCircle aria-hidden className="mt-0.5 size-5 shrink-0 animate-spin" />
              ) : (
                <ChannelIcon kind={kind} className="mt-0.5 size-5 shrink-0 text-accent" />
              )}
              <span className="min-w-0">
                <span className="block text-sm font-medium">{CHANNEL_NAMES[kind]}</span>{" "}
                <span className="mt-0.5 block text-sm text-ink-muted wrap-anywhere">{text}</span>
              </span>
            </button>
          </li>
        ))}
      </ul>
      <AddError error={add.error} />
      {asksForUrl && (
        <WebhookForm
          onCreated={(channel) => {
            setAsksForUrl(false);
            onCreated(channel);
          }}
        />
      )}
    </div>
  );
}

interface Offer {
  kind: ChannelKind;
  text: string;
  isPossible?: boolean;
}

/** The kinds of channels that the user does not have yet. */
function useOffers(channels: readonly Channel[]): Offer[] {
  const email = useMe()?.email ?? "your address";
  const permission = useNotificationSettings((settings) => settings.permission);
  const isHere = useIsSubscribed(channels);
  const has = (wanted: ChannelKind) => channels.some(({ kind }) => kind === wanted);
  const offers: (Offer | false)[] = [
    !has("telegram") && { kind: "telegram", text: "A message from our bot" },
    !isHere && { kind: "web-push", ...pushOffer(permission) },
    !has("email") && { kind: "email", text: `To ${email}` },
    { kind: "webhook", text: "Signed requests to your own server" },
  ];
  return offers.filter((offer) => offer !== false);
}

function pushOffer(permission: NotificationPermission | "unsupported") {
  if (permission === "denied") {
    return { text: "Blocked. Allow it in your browser's site settings.", isPossible: false };
  }
  if (supportsPush()) return { text: "On this device, even with no tab open" };
  const isApple = /iPhone|iPad/.test(navigator.userAgent);
  const text = isApple
    ? "First add the app to your home screen."
    : "Not supported in this browser.";
  return { text, isPossible: false };
}

/** Whether this browser's push subscription belongs to one of the channels. */
function useIsSubscribed(channels: readonly Channel[]): boolean {
  const endpoints = usePushEndpoints((state) => state.endpoints);
  return channels.some(({ id }) => endpoints[id] !== undefined);
}

function AddError({ error }: { error: Error | null }) {
  if (!hasCode(error, "email-not-verified")) return <ErrorAlert message={error?.message} />;
  return (
    <Alert tone="warning" role="alert" title="Your email address is not verified">
      Messages are sent to verified addresses only.{" "}
      <TextLink to="#email">Verify your email address</TextLink>
    </Alert>
  );
}

const webhookSchema = newChannelSchema.required({ url: true });

function WebhookForm({ onCreated }: Pick<AddChannelProps, "onCreated">) {
  const { formProps, isPending, problem } = useFormRequest(async (form) => {
    onCreated(await addChannel(parseForm(webhookSchema, { ...form, kind: "webhook" })));
  });
  return (
    <Form {...formProps} aria-label="Add a webhook" className="flex animate-enter flex-col gap-4">
      <TextField
        name="url"
        label="URL"
        type="url"
        inputMode="url"
        placeholder="https://"
        autoComplete="off"
        hint="A public https address. It gets a POST request for each event."
        aria-required
        autoFocus
      />
      <ErrorAlert message={problem?.message} />
      <Button type="submit" className="self-start" busy={isPending}>
        Add webhook
      </Button>
    </Form>
  );
}
