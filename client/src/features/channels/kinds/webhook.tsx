import {
  webhook as declared,
  SECRET_OVERLAP_HOURS,
} from "@shared/contract/channel-kinds/webhook.ts";
import { Webhook } from "lucide-react";
import { errorText } from "../../../lib/api/errors.ts";
import { parseForm } from "../../../lib/api/forms.ts";
import { apiOrigin } from "../../../lib/env.ts";
import { formatDateTime } from "../../../lib/format.ts";
import { Alert } from "../../../ui/alert.tsx";
import { Button, linkClass } from "../../../ui/button.tsx";
import { ConfirmButton } from "../../../ui/confirm-button.tsx";
import { CopyButton } from "../../../ui/copy-button.tsx";
import { addChannel, rotateSecret } from "../api.ts";
import type { ClientChannelKind, NoticeProps, SettingsProps } from "./channel-kind.ts";
import { UrlForm } from "./url-form.tsx";
import { FormatFields, FormatForm } from "./webhook-format.tsx";

export const webhook: ClientChannelKind = {
  Icon: Webhook,
  useOffer: () => ({ text: "Signed requests to your own server" }),
  AddForm: ({ onCreated }) => (
    <UrlForm
      title="Add a webhook"
      placeholder="https://"
      hint="A public https address. It gets a POST request for each event."
      submit="Add webhook"
      add={(form) => addChannel(parseForm(declared.input, { ...form, kind: "webhook" }))}
      onCreated={onCreated}
    >
      <FormatFields />
    </UrlForm>
  ),
  Notice: WebhookSecret,
  Settings: WebhookSettings,
};

function WebhookSettings({ channel, onShown }: SettingsProps) {
  const { format = "standard" } = channel;
  return (
    <>
      <FormatForm channel={channel} />
      {format === "standard" && <ReplaceSecret channel={channel} onShown={onShown} />}
    </>
  );
}

/** Of a webhook that was just added, or with the time until which the one before still signs. */
function WebhookSecret({ channel, shown: { secret, ...old }, onShown }: NoticeProps) {
  if (secret === undefined) return null;
  return (
    <Alert tone="success" role="status" title="Copy the secret now: it is not shown again">
      <p>
        Use it to verify our messages on your server. <Documentation />
        {old.previous_until &&
          ` The old secret also signs until ${formatDateTime(old.previous_until)}.`}
      </p>
      <code className="my-3 block rounded-md bg-canvas px-3 py-2 break-all text-ink">{secret}</code>
      <span className="flex flex-wrap gap-3">
        <CopyButton text={secret} name="the secret" />
        <Button size="sm" onClick={() => onShown(channel, {})}>
          I have saved it
        </Button>
      </span>
    </Alert>
  );
}

function ReplaceSecret({ channel, onShown }: SettingsProps) {
  const run = async () => {
    onShown(await rotateSecret(channel));
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
