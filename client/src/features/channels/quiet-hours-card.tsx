import { Form } from "@base-ui/react/form";
import { type QuietHoursSetting, quietHoursSettingSchema } from "@shared/contract/channels.ts";
import { useMutation } from "@tanstack/react-query";
import { useId, useState } from "react";
import { parseForm, useFormRequest } from "../../lib/api/forms.ts";
import { ErrorAlert } from "../../ui/alert.tsx";
import { Button } from "../../ui/button.tsx";
import { Card, Skeleton } from "../../ui/card.tsx";
import { fieldClass } from "../../ui/field-class.ts";
import { QueryView } from "../../ui/load-error.tsx";
import { Select } from "../../ui/select-field.tsx";
import { showToast } from "../../ui/show-toast.ts";
import { Switch } from "../../ui/switch.tsx";
import { TextField } from "../../ui/text-field.tsx";
import { saveQuietHours, useQuietHours } from "./api.ts";

type Hours = NonNullable<QuietHoursSetting["quiet_hours"]>;

export function QuietHoursCard() {
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
  const id = useId();
  const zones = [...new Set([initial, "UTC", ...Intl.supportedValuesOf("timeZone")])].sort();
  return (
    <div className={fieldClass.root}>
      <label htmlFor={id} className={fieldClass.label}>
        Time zone
      </label>
      <Select id={id} name="time_zone" defaultValue={initial}>
        {zones.map((zone) => (
          <option key={zone}>{zone}</option>
        ))}
      </Select>
    </div>
  );
}
