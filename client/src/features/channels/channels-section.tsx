import { Form } from "@base-ui/react/form";
import {
  type ChannelKind,
  channelKindSchema,
} from "@shared/contract/channel-kinds/channel-kinds.ts";
import {
  type Channel,
  MAX_CHANNELS,
  type QuietHoursSetting,
  quietHoursSettingSchema,
} from "@shared/contract/channels.ts";
import { useMutation } from "@tanstack/react-query";
import { Bell } from "lucide-react";
import { useEffect, useId, useRef, useState } from "react";
import { parseForm, useFormRequest } from "../../lib/api/forms.ts";
import { playChime } from "../../lib/notifications/chime.ts";
import {
  requestPermission,
  useNotificationSettings,
} from "../../lib/notifications/notification-settings.ts";
import { useSession } from "../../lib/session.ts";
import { Alert, ErrorAlert } from "../../ui/alert.tsx";
import { Button } from "../../ui/button.tsx";
import { Card, Skeleton } from "../../ui/card.tsx";
import { Labelled, Select, Switch } from "../../ui/fields.tsx";
import { QueryView } from "../../ui/load-states.tsx";
import { showToast } from "../../ui/show-toast.ts";
import { TextField } from "../../ui/text-field.tsx";
import { AddChannel } from "./add-channel.tsx";
import {
  saveDeliverySettings,
  saveQuietHours,
  useChannels,
  useDeliverySettings,
  useOfferedKinds,
  useQuietHours,
} from "./api.ts";
import { ChannelItem } from "./channel-item.tsx";
import type { ShownOnce } from "./kinds/channel-kind.ts";

const ID = "notifications";

/** Where and when the user is notified. */
export function ChannelsSection() {
  const section = useRef<HTMLElement>(null);
  useEffect(() => {
    // The address may have been opened before this screen was loaded.
    if (window.location.hash === `#${ID}`) section.current?.scrollIntoView();
  }, []);
  return (
    <section
      ref={section}
      id={ID}
      aria-labelledby={`${ID}-title`}
      className="mt-4 flex scroll-mt-24 flex-col gap-5"
    >
      <div>
        <h2 id={`${ID}-title`} className="text-xl font-semibold tracking-tight">
          Notifications
        </h2>
        <p className="mt-1 text-ink-muted text-pretty">
          Channels reach you anywhere. Open tabs of the app notify you on their own.
        </p>
      </div>
      <div className="grid grid-cols-[minmax(0,1fr)] items-start gap-6 lg:grid-cols-[minmax(0,1.6fr)_minmax(0,1fr)]">
        <ChannelsCard />
        <div className="flex flex-col gap-6">
          <OpenAppCard />
          <QuietHoursCard />
          <PassOnCard />
        </div>
      </div>
    </section>
  );
}

function ChannelsCard() {
  const list = useChannels();
  const kinds = useOfferedKinds();
  // The list does not wait for kinds that cannot be read: adding one says what is wrong.
  const offered = kinds.error ? channelKindSchema.options : kinds.data?.kinds;
  const { error, isFetching, refetch } = list;
  const data = offered && list.data;
  return (
    <Card>
      <div className="p-6">
        <h3 className="text-lg font-semibold tracking-tight">When the app is closed</h3>
        <p className="mt-1 text-sm leading-relaxed text-ink-muted text-pretty">
          Each channel gets the events you choose, even when no tab is open.
        </p>
      </div>
      <QueryView
        query={{ data, error, isFetching, refetch }}
        failed="Failed to load your channels."
        skeleton={
          <div className="border-t border-line p-6">
            <Skeleton className="h-64" />
          </div>
        }
      >
        {({ channels }) => <Channels channels={channels} offered={offered ?? []} />}
      </QueryView>
    </Card>
  );
}

interface ChannelsProps {
  channels: Channel[];
  offered: readonly ChannelKind[];
}

function Channels({ channels, offered }: ChannelsProps) {
  const [shown, setShown] = useState<Record<string, ShownOnce>>({});
  const show = ({ id }: Pick<Channel, "id">, once: ShownOnce) =>
    setShown((before) => ({ ...before, [id]: once }));
  return (
    <>
      {channels.length > 0 && (
        <ul aria-label="Your channels" className="divide-y divide-line border-t border-line">
          {channels.map((channel) => (
            <li key={channel.id}>
              <ChannelItem channel={channel} shown={shown[channel.id] ?? {}} onShown={show} />
            </li>
          ))}
        </ul>
      )}
      <div className="border-t border-line p-6">
        {channels.length >= MAX_CHANNELS ? (
          <Alert tone="info">
            You have reached the limit of {MAX_CHANNELS} channels. Delete one to add another.
          </Alert>
        ) : (
          <AddChannel
            channels={channels}
            offered={offered}
            onCreated={(channel) => show(channel, channel)}
          />
        )}
      </div>
    </>
  );
}

/** Notifications of open tabs. */
function OpenAppCard() {
  const permission = useNotificationSettings((settings) => settings.permission);
  const isAdmin = useSession((session) => session.isAdmin);
  return (
    <Card className="flex flex-col gap-4 p-6">
      <div>
        <h3 className="text-lg font-semibold tracking-tight">While the app is open</h3>
        <p className="mt-1 text-sm leading-relaxed text-ink-muted text-pretty">
          {isAdmin
            ? "A tab in the background notifies you of finished signals, new registrations and payment proofs. Applies to this browser."
            : "A tab in the background notifies you when a signal is ready. Applies to this browser."}
        </p>
      </div>
      {permission === "default" && (
        <Button
          Icon={Bell}
          variant="secondary"
          className="self-start"
          onClick={() => void requestPermission()}
        >
          Allow notifications
        </Button>
      )}
      {permission === "granted" && <Switches />}
      {permission === "denied" && (
        <Alert tone="warning" title="Blocked in this browser">
          Notifications are blocked. Allow them in your browser's site settings.
        </Alert>
      )}
      {permission === "unsupported" && (
        <Alert tone="info">This browser doesn't support notifications on this page.</Alert>
      )}
    </Card>
  );
}

function Switches() {
  const { off, muted } = useNotificationSettings();
  const setSound = (on: boolean) => {
    useNotificationSettings.setState({ muted: !on });
    if (on) void playChime();
  };
  return (
    <div className="flex flex-col gap-4 border-t border-line pt-4">
      <SwitchField
        label="Show notifications"
        checked={!off}
        onChange={(checked) => useNotificationSettings.setState({ off: !checked })}
      />
      <SwitchField
        label="Sound"
        hint="Play a sound with each notification."
        checked={!muted}
        disabled={off}
        onChange={setSound}
      />
    </div>
  );
}

interface SwitchFieldProps {
  label: string;
  hint?: string;
  checked: boolean;
  disabled?: boolean;
  onChange(checked: boolean): void;
}

function SwitchField({ label, hint, checked, disabled = false, onChange }: SwitchFieldProps) {
  const id = useId();
  return (
    <label
      htmlFor={id}
      className="flex cursor-pointer items-start justify-between gap-6 has-disabled:cursor-default has-disabled:opacity-60"
    >
      <span className="min-w-0">
        <span className="block text-sm font-medium">{label}</span>
        {hint && <span className="mt-0.5 block text-sm text-ink-faint text-pretty">{hint}</span>}
      </span>
      <span className="mt-0.5 flex">
        <Switch id={id} checked={checked} disabled={disabled} onChange={onChange} />
      </span>
    </label>
  );
}

/** Where a message goes that a channel does not deliver. */
function PassOnCard() {
  return (
    <Card className="flex flex-col gap-4 p-6">
      <QueryView
        query={useDeliverySettings()}
        failed="Failed to load what happens to messages that are not delivered."
        skeleton={<Skeleton className="h-16" />}
      >
        {({ pass_on: isOn }) => <PassOn isOn={isOn} />}
      </QueryView>
    </Card>
  );
}

function PassOn({ isOn }: { isOn: boolean }) {
  const change = useMutation({
    mutationFn: (pass_on: boolean) => saveDeliverySettings({ pass_on }),
  });
  return (
    <>
      <div className="flex items-start justify-between gap-6">
        <div>
          <h3 className="text-lg font-semibold tracking-tight">Use the next channel</h3>
          <p className="mt-1 text-sm leading-relaxed text-ink-muted text-pretty">
            A message that is not delivered within a minute goes to your next channel that works,
            once, even if that channel has not chosen its event. Its minimum confidence and your
            quiet hours apply. Webhooks get none.
          </p>
        </div>
        <Switch
          name="Use the next channel"
          checked={change.isPending ? !isOn : isOn}
          disabled={change.isPending}
          onChange={change.mutate}
        />
      </div>
      <ErrorAlert message={change.error?.message} />
    </>
  );
}

type Hours = NonNullable<QuietHoursSetting["quiet_hours"]>;

function QuietHoursCard() {
  return (
    <Card className="flex flex-col gap-4 p-6">
      <QueryView
        query={useQuietHours()}
        failed="Failed to load your quiet hours."
        skeleton={<Skeleton className="h-24" />}
      >
        {({ quiet_hours: hours }) => <QuietHours key={JSON.stringify(hours)} hours={hours} />}
      </QueryView>
    </Card>
  );
}

function QuietHours({ hours }: { hours: Hours | null }) {
  const [isOn, setOn] = useState(hours !== null);
  const turnOff = useMutation({
    mutationFn: () => saveQuietHours({ quiet_hours: null }),
    onError: () => setOn(true),
  });
  const toggle = (next: boolean) => {
    setOn(next);
    if (!next && hours) turnOff.mutate();
  };
  return (
    <>
      <div className="flex items-start justify-between gap-6">
        <div>
          <h3 className="text-lg font-semibold tracking-tight">Quiet hours</h3>
          <p className="mt-1 text-sm leading-relaxed text-ink-muted text-pretty">
            Messages wait until the end of these hours and then come as one summary. Webhooks are
            not affected.
          </p>
        </div>
        <Switch name="Quiet hours" checked={isOn} disabled={turnOff.isPending} onChange={toggle} />
      </div>
      <ErrorAlert message={turnOff.error?.message} />
      {isOn && <HoursForm hours={hours} />}
    </>
  );
}

function HoursForm({ hours }: { hours: Hours | null }) {
  const { formProps, isPending, problem } = useFormRequest(async (form) => {
    await saveQuietHours({ quiet_hours: parseForm(hoursSchema, form) });
    showToast({ title: "Quiet hours saved" });
  });
  const { timeZone } = Intl.DateTimeFormat().resolvedOptions();
  return (
    <Form
      {...formProps}
      aria-label="Quiet hours"
      className="flex flex-col gap-4 border-t border-line pt-4"
    >
      <div className="grid grid-cols-2 items-start gap-3">
        <TextField name="start" label="From" type="time" defaultValue={hours?.start ?? "22:00"} />
        <TextField name="end" label="To" type="time" defaultValue={hours?.end ?? "07:00"} />
      </div>
      <TimeZoneField initial={hours?.time_zone ?? timeZone} />
      <ErrorAlert message={problem?.message} />
      <Button type="submit" variant="secondary" className="self-start" busy={isPending}>
        Save
      </Button>
    </Form>
  );
}

const hoursSchema = quietHoursSettingSchema.shape.quiet_hours.unwrap();

function TimeZoneField({ initial }: { initial: string }) {
  const zones = [...new Set([initial, "UTC", ...Intl.supportedValuesOf("timeZone")])].sort();
  return (
    <Labelled label="Time zone">
      {(id) => (
        <Select id={id} name="time_zone" defaultValue={initial}>
          {zones.map((zone) => (
            <option key={zone}>{zone}</option>
          ))}
        </Select>
      )}
    </Labelled>
  );
}
