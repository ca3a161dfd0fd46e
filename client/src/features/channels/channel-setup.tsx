import {
  type Channel,
  type CreatedChannel,
  type RotatedSecret,
  SECRET_OVERLAP_HOURS,
  TELEGRAM_LINK_MINUTES,
} from "@shared/contract/channels.ts";
import { useMutation } from "@tanstack/react-query";
import { ExternalLink } from "lucide-react";
import { renderSVG } from "uqr";
import { errorText } from "../../lib/api/errors.ts";
import { apiOrigin } from "../../lib/env.ts";
import { formatDateTime, formatElapsed } from "../../lib/format.ts";
import { useNow } from "../../lib/use-now.ts";
import { Alert, ErrorAlert } from "../../ui/alert.tsx";
import { Button, buttonClass, linkClass } from "../../ui/button.tsx";
import { ConfirmButton } from "../../ui/confirm-button.tsx";
import { CopyButton } from "../../ui/copy-button.tsx";
import { addChannel, linkExpiry, removeChannel, rotateSecret } from "./api.ts";

interface TelegramLinkProps {
  channel: Channel;
  /** Absent if the channel was added before this page was opened. */
  link: string | undefined;
  onCreated(channel: CreatedChannel): void;
}

/** How to finish adding Telegram. */
export function TelegramLink({ channel, link, onCreated }: TelegramLinkProps) {
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
export type ShownSecret = Partial<RotatedSecret>;

interface WebhookSecretProps {
  secret: ShownSecret;
  onSaved(): void;
}

export const WebhookSecret = ({ secret: { secret = "", ...old }, onSaved }: WebhookSecretProps) => (
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

export function ReplaceSecret({ channel, onReplaced }: ReplaceSecretProps) {
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
  <a href={`${apiOrigin}/docs`} target="_blank" rel="noreferrer" className={linkClass}>
    How to receive webhooks
  </a>
);
