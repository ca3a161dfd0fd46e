import { Form } from "@base-ui/react/form";
import { actionDoneSchema } from "@shared/contract/admin.ts";
import {
  CHANNEL_RECOMMENDED_FROM,
  type TelegramChannel,
  type TelegramChannelState,
  telegramChannelChangeSchema,
  telegramChannelSchema,
} from "@shared/contract/telegram-channel.ts";
import { useMutation } from "@tanstack/react-query";
import { useState } from "react";
import { api } from "../../lib/api/client.ts";
import { parseForm, useFormRequest } from "../../lib/api/forms.ts";
import { formatCount, formatPlural } from "../../lib/format.ts";
import { refetch } from "../../lib/query-client.ts";
import { Alert, ErrorAlert } from "../../ui/alert.tsx";
import { Button } from "../../ui/button.tsx";
import { Card, Skeleton } from "../../ui/card.tsx";
import { Switch } from "../../ui/fields.tsx";
import { QueryView } from "../../ui/load-states.tsx";
import { showToast } from "../../ui/show-toast.ts";
import { TextField } from "../../ui/text-field.tsx";
import { AdminSection } from "./admin-section.tsx";
import { useAdminQuery } from "./api.ts";

const path = "/admin/telegram-channel";
const queryKey = ["admin", "telegram-channel"];

const useTelegramChannel = () =>
  useAdminQuery(queryKey, (signal) => api({ path, schema: telegramChannelSchema, signal }));

/** The paid Telegram channel. */
export function TelegramChannelSection() {
  return (
    <AdminSection
      id="telegram-channel"
      title="Telegram channel"
      lead="Each trade of the markets you choose is posted once to your private channel. Only users with access and a linked Telegram are let in, and who loses access is removed."
    >
      <QueryView
        query={useTelegramChannel()}
        failed="Failed to load the Telegram channel."
        skeleton={<Skeleton className="h-64 rounded-card" />}
      >
        {(channel) => (
          <Card className="flex flex-col gap-5 p-4 sm:p-5">
            <Recommendation channel={channel} />
            <State channel={channel} />
            <SettingsForm key={channel.chat_id} channel={channel} />
          </Card>
        )}
      </QueryView>
    </AdminSection>
  );
}

function Recommendation({ channel: { linked, direct_seconds, enabled } }: ChannelProps) {
  if (enabled || linked < CHANNEL_RECOMMENDED_FROM) return null;
  return (
    <Alert tone="info" title="Use a channel for this many users">
      A message to each of your {formatCount(linked)} linked users takes{" "}
      {formatCount(direct_seconds)} seconds at Telegram's limit. A channel is posted to once.
    </Alert>
  );
}

interface ChannelProps {
  channel: TelegramChannel;
}

const STATE_TEXTS: Record<TelegramChannelState, string> = {
  off: "Off",
  "no-bot": "No bot is set up: set TELEGRAM_BOT_TOKEN.",
  "not-found": "The bot is no administrator of this channel. Add it there, and check the id.",
  "missing-rights": "The bot lacks rights in the channel",
  unreachable: "Telegram cannot be reached.",
  ready: "Ready",
};

const RIGHT_NAMES = {
  can_post_messages: "post messages",
  can_edit_messages: "edit messages",
  can_invite_users: "invite users",
  can_restrict_members: "ban users",
} as const;

function State({ channel }: ChannelProps) {
  const { state, missing_rights: missing, title, members, waiting } = channel;
  const lacks = missing.map((right) => RIGHT_NAMES[right]).join(", ");
  const test = useMutation({
    mutationFn: () => api({ method: "POST", path: `${path}/test`, schema: actionDoneSchema }),
    onSuccess: ({ detail }) => showToast({ title: detail }),
  });
  return (
    <div className="flex flex-wrap items-center justify-between gap-3">
      <div className="min-w-0">
        <p className={`font-medium ${state === "ready" ? "text-buy" : "text-wait"}`}>
          {STATE_TEXTS[state]}
          {lacks && `: ${lacks}`}
        </p>
        <p className="figures mt-0.5 text-sm text-ink-muted wrap-anywhere">
          {title && `${title} · `}
          {formatPlural(members, "member")}, {formatCount(waiting)} waiting
        </p>
      </div>
      <span className="flex flex-wrap gap-3">
        <Button variant="secondary" size="sm" onClick={() => void refetch({ queryKey })}>
          Check again
        </Button>
        {state === "ready" && (
          <Button variant="secondary" size="sm" busy={test.isPending} onClick={() => test.mutate()}>
            Post a test
          </Button>
        )}
      </span>
      <ErrorAlert message={test.error?.message} />
    </div>
  );
}

/** One market a line: `BTC/USDT 1h`. */
const marketsOf = (text: string) =>
  text
    .split("\n")
    .map((line) => line.trim().split(/\s+/))
    .filter(([symbol]) => symbol !== "")
    .map(([symbol = "", timeframe = ""]) => ({ symbol, timeframe }));

function SettingsForm({ channel }: ChannelProps) {
  const [enabled, setEnabled] = useState(channel.enabled);
  const { formProps, isPending, problem } = useFormRequest(async (form) => {
    const body = parseForm(telegramChannelChangeSchema, {
      enabled,
      chat_id: form.chat_id,
      markets: marketsOf(String(form.markets)),
      min_confidence: Number(form.min_confidence),
    });
    await api({ method: "PUT", path, body, schema: telegramChannelSchema });
    await refetch({ queryKey });
    showToast({ title: "The Telegram channel is saved." });
  });
  const { chat_id, min_confidence, markets } = channel;
  const lines = markets.map(({ symbol, timeframe }) => `${symbol} ${timeframe}`).join("\n");
  return (
    <Form {...formProps} aria-label="Telegram channel" className="flex flex-col gap-4">
      <div className="flex items-center justify-between gap-3">
        <span className="font-medium">Post trades to the channel</span>
        <Switch name="Post trades to the channel" checked={enabled} onChange={setEnabled} />
      </div>
      <div className="grid gap-4 md:grid-cols-2">
        <TextField
          name="chat_id"
          label="Id of the channel"
          defaultValue={chat_id}
          placeholder="-1001234567890"
          hint="Make the bot an administrator of the channel first"
          autoComplete="off"
        />
        <TextField
          name="min_confidence"
          label="Minimum confidence"
          defaultValue={String(min_confidence)}
          inputMode="decimal"
        />
      </div>
      <TextField
        name="markets"
        label="Markets"
        rows={4}
        defaultValue={lines}
        hint="One a line, with its timeframe, such as BTC/USDT 1h"
        spellCheck={false}
      />
      <ErrorAlert message={problem?.message} />
      <Button type="submit" size="sm" className="self-start" busy={isPending}>
        Save channel
      </Button>
    </Form>
  );
}
