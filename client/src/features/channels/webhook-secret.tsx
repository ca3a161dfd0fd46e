import {
  type Channel,
  type RotatedSecret,
  SECRET_OVERLAP_HOURS,
} from "@shared/contract/channels.ts";
import { errorText } from "../../lib/api/errors.ts";
import { apiOrigin } from "../../lib/env.ts";
import { formatDateTime } from "../../lib/format.ts";
import { Alert } from "../../ui/alert.tsx";
import { Button } from "../../ui/button.tsx";
import { ConfirmButton } from "../../ui/confirm-button.tsx";
import { CopyButton } from "../../ui/copy-button.tsx";
import { rotateSecret } from "./api.ts";

/** Of a webhook that was just added, or with the time until which the one before still signs. */
export type ShownSecret = Partial<RotatedSecret>;

interface WebhookSecretProps {
  secret: ShownSecret;
  onSaved(): void;
}

export const WebhookSecret = ({ secret: { secret = "", ...old }, onSaved }: WebhookSecretProps) => (
  <Alert tone="success" role="status" title="Copy the secret now: it is not shown again">
    <p>
      Your server verifies our messages with it. <Documentation />
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
        For {SECRET_OVERLAP_HOURS} hours, messages are signed with the old and the new secret. Give
        your server the new one in this time.
      </ConfirmButton>
    </div>
  );
}

const Documentation = () => (
  <a
    href={`${apiOrigin}/docs`}
    target="_blank"
    rel="noreferrer"
    className="rounded font-medium text-accent underline-offset-4 hover:underline"
  >
    How to receive webhooks
  </a>
);
