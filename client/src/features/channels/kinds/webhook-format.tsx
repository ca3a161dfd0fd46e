import { Form } from "@base-ui/react/form";
import {
  WEBHOOK_FORMATS,
  type WebhookFormat,
} from "@shared/contract/channel-kinds/webhook-formats.ts";
import {
  fillTemplate,
  problemOfTemplate,
  TEMPLATE_FIELDS,
  type TemplateValues,
} from "@shared/contract/channel-kinds/webhook-template.ts";
import { type Channel, channelChangeSchema } from "@shared/contract/channels.ts";
import { useState } from "react";
import { parseForm, useFormRequest } from "../../../lib/api/forms.ts";
import { ErrorAlert } from "../../../ui/alert.tsx";
import { Button } from "../../../ui/button.tsx";
import { SelectField } from "../../../ui/fields.tsx";
import { TextField } from "../../../ui/text-field.tsx";
import { useChangeChannel } from "../api.ts";

const SAMPLE: TemplateValues = {
  symbol: "BTC/USDT",
  side: "BUY",
  entry: 107357.1,
  stop_loss: 106000,
  take_profit: 110000.5,
  confidence: 72.5,
  timeframe: "1h",
  id: "65f0c0ffee0c0ffee0c0ffee",
};

const FIRST_TEMPLATE = `{
  "text": "{{side}} {{symbol}} at {{entry}}",
  "stop": {{stop_loss}},
  "target": {{take_profit}}
}`;

const FORMAT_NAMES: readonly WebhookFormat[] = [
  "standard",
  "discord",
  "slack",
  "cornix",
  "3commas",
  "template",
];
const options = FORMAT_NAMES.map((value) => ({
  value,
  label: String(WEBHOOK_FORMATS[value].name),
}));

type Chosen = Pick<Channel, "format" | "template" | "bot_uuid">;

/** What a webhook is sent, for the form around it. */
export function FormatFields({ chosen = {} }: { chosen?: Chosen }) {
  const [format, setFormat] = useState<WebhookFormat>(chosen.format ?? "standard");
  const [template, setTemplate] = useState(chosen.template ?? FIRST_TEMPLATE);
  return (
    <>
      <div className="flex flex-col gap-1.5">
        <SelectField<WebhookFormat>
          label="Format"
          value={format}
          options={options}
          onChange={setFormat}
        />
        <p className="text-sm text-ink-muted">{WEBHOOK_FORMATS[format].hint}</p>
      </div>
      <input type="hidden" name="format" value={format} />
      {format === "3commas" && (
        <>
          <TextField
            name="bot_uuid"
            label="bot_uuid"
            defaultValue={chosen.bot_uuid}
            hint="From the message of your Signal Bot"
            autoComplete="off"
          />
          <TextField
            name="bot_secret"
            label="secret"
            hint="From the same message. It is not shown again."
            autoComplete="off"
          />
        </>
      )}
      {format === "template" && (
        <>
          <TextField
            name="template"
            label="Template"
            rows={6}
            value={template}
            onValueChange={setTemplate}
            hint={`JSON with ${TEMPLATE_FIELDS.map((name) => `{{${name}}}`).join(", ")}`}
            spellCheck={false}
          />
          <Preview template={template} />
        </>
      )}
    </>
  );
}

function Preview({ template }: { template: string }) {
  const problem = problemOfTemplate(template);
  return (
    <figure className="flex flex-col gap-1.5">
      <figcaption className="text-sm text-ink-muted">Preview, of a sample signal</figcaption>
      {problem ? (
        <p className="text-sm text-wait">{problem}</p>
      ) : (
        <pre className="rounded-md bg-canvas px-3 py-2 text-sm whitespace-pre-wrap wrap-anywhere">
          {fillTemplate(template, SAMPLE)}
        </pre>
      )}
    </figure>
  );
}

/** An empty secret keeps the one that is stored. */
const withoutEmpty = (form: object): object =>
  Object.fromEntries(Object.entries(form).filter(([, value]) => value !== ""));

/** Changes the format of a webhook that exists. */
export function FormatForm({ channel }: { channel: Channel }) {
  const change = useChangeChannel(channel);
  const { formProps, isPending, problem } = useFormRequest(async (form) => {
    await change.mutateAsync(parseForm(channelChangeSchema, withoutEmpty(form)));
  });
  return (
    <Form
      {...formProps}
      aria-label="Format of the messages"
      className="flex flex-col gap-4 border-t border-line pt-5"
    >
      <FormatFields chosen={channel} />
      <ErrorAlert message={problem?.message} />
      <Button type="submit" variant="secondary" size="sm" className="self-start" busy={isPending}>
        Save format
      </Button>
    </Form>
  );
}
