import { Form } from "@base-ui/react/form";
import { accentOf, THEMES, type Theme } from "@shared/contract/accent.ts";
import {
  type Branding,
  brandingSchema,
  brandingUpdateSchema,
  DEFAULT_PRODUCT_NAME,
  type StoredBranding,
} from "@shared/contract/branding.ts";
import { IMAGE_TYPES } from "@shared/contract/files.ts";
import { useMutation } from "@tanstack/react-query";
import { useState } from "react";
import { parseForm, useFormRequest } from "../../lib/api/forms.ts";
import { apiOrigin } from "../../lib/env.ts";
import { ErrorAlert } from "../../ui/alert.tsx";
import { Button } from "../../ui/button.tsx";
import { Card, Skeleton } from "../../ui/card.tsx";
import { fieldClass } from "../../ui/field-class.ts";
import { SelectField } from "../../ui/fields.tsx";
import { QueryView } from "../../ui/load-states.tsx";
import { TextField } from "../../ui/text-field.tsx";
import {
  deleteLogo,
  refetchBranding,
  runAndConfirm,
  saveBranding,
  saveLogo,
  useStoredBranding,
} from "./api.ts";
import { ProtectedFormEnd, usePasswordQuestion } from "./protected-form.tsx";
import { useChanges } from "./use-changes.ts";

export function BrandingSection() {
  return (
    <QueryView
      query={useStoredBranding()}
      failed="Failed to load the branding."
      skeleton={<Skeleton className="h-96 rounded-card" />}
    >
      {(stored) => (
        <div className="grid grid-cols-[minmax(0,1fr)] items-start gap-5 lg:grid-cols-[minmax(0,2fr)_minmax(0,1fr)]">
          <BrandingForm stored={stored} />
          <LogoForm logo={stored.logo} />
        </div>
      )}
    </QueryView>
  );
}

const FIELDS = brandingSchema.keyof().options;

const contactFields = [
  {
    name: "contact_email",
    label: "Contact email",
    hint: "Empty: that of the settings",
    type: "email",
  },
  {
    name: "contact_whatsapp",
    label: "WhatsApp",
    hint: "Phone number with country code, or an https address",
  },
  { name: "contact_telegram", label: "Telegram", hint: "User name, or an https address" },
] as const;

/** The empty value stands for UTC. */
const timeZones = [
  { value: "", label: "UTC" },
  ...Intl.supportedValuesOf("timeZone").map((value) => ({
    value,
    label: value.replaceAll("_", " "),
  })),
];

function BrandingForm({ stored }: { stored: StoredBranding }) {
  const { changes, change, forgetSaved, discard } = useChanges<Branding>();
  const draft = { ...stored, ...changes };
  const isChanged = FIELDS.some((field) => draft[field] !== stored[field]);
  const { formProps, isPending, problem, reset } = useFormRequest(async (form) => {
    const input = { ...form, time_zone: draft.time_zone };
    await runAndConfirm(saveBranding(parseForm(brandingUpdateSchema, input)));
    await refetchBranding();
    forgetSaved(changes);
    question.stop();
  });
  // A stolen session must not lead customers elsewhere.
  const question = usePasswordQuestion(problem);
  const field = (name: keyof Branding) => ({
    name,
    value: draft[name],
    onValueChange: (value: string) => change({ [name]: value }),
  });
  return (
    <Card className="p-4 sm:p-5">
      <Form {...formProps} className="flex flex-col gap-5">
        <TextField
          {...field("product_name")}
          label="Product name"
          hint={`Empty: ${DEFAULT_PRODUCT_NAME}`}
          maxLength={40}
        />
        <div className="grid gap-4 md:grid-cols-3">
          {contactFields.map(({ name, ...facts }) => (
            <TextField key={name} {...field(name)} {...facts} />
          ))}
        </div>
        <div className="grid items-start gap-4 md:grid-cols-2">
          <TextField
            {...field("accent_color")}
            label="Accent colour"
            hint="Such as #1a5fd0. Empty: the product's own"
            spellCheck={false}
          />
          <SelectField
            label="Time zone of emails and messages"
            value={draft.time_zone}
            options={timeZones}
            onChange={(time_zone) => change({ time_zone })}
          />
        </div>
        <AccentPreview color={draft.accent_color} />
        <TextField
          {...field("demo_notice")}
          label="Notice on all pages (optional)"
          hint="One line, such as: This is a demonstration. Empty: none"
          maxLength={200}
        />
        <ProtectedFormEnd
          question={question}
          purpose="change the branding"
          failure="Failed to save the branding."
          problem={problem}
          action="Save branding"
          isChanged={isChanged}
          isPending={isPending}
          onDiscard={() => {
            reset();
            discard();
          }}
        />
      </Form>
    </Card>
  );
}

const COLOR = /^#[0-9a-f]{6}$/i;
const grounds: Record<Theme, string> = { dark: "#10151c", light: "#ffffff" };

/** How a colour looks in both themes, where it is changed until its texts can be read. */
function AccentPreview({ color }: { color: string }) {
  if (!COLOR.test(color.trim())) return null;
  const chosen = color.trim().toLowerCase();
  return (
    <ul aria-label="Preview of the accent" className="grid gap-3 sm:grid-cols-2">
      {THEMES.map((theme) => {
        const { accent, on } = accentOf(chosen, theme);
        return (
          <li
            key={theme}
            className="flex items-center justify-between gap-3 rounded-control border border-line p-3"
            style={{ background: grounds[theme] }}
          >
            <span className="text-sm font-medium" style={{ color: accent }}>
              {accent === chosen
                ? `A link, ${theme}`
                : `A link, ${theme}: ${accent}, to be readable`}
            </span>
            <span
              className="rounded-lg px-2.5 py-1 text-sm font-medium"
              style={{ background: accent, color: on }}
            >
              Button
            </span>
          </li>
        );
      })}
    </ul>
  );
}

function LogoForm({ logo }: { logo: string | null }) {
  const [file, setFile] = useState<File | null>(null);
  const change = useMutation({
    mutationFn: async (next: File | null) => {
      await runAndConfirm(next ? saveLogo(next) : deleteLogo());
      await refetchBranding();
      setFile(null);
    },
  });
  return (
    <Card className="flex flex-col gap-4 p-4 sm:p-5">
      <h2 className="font-semibold tracking-tight">Logo</h2>
      {logo && (
        <img
          src={apiOrigin + logo}
          alt="The present logo"
          className="size-16 rounded-control border border-line bg-canvas object-contain p-1"
        />
      )}
      <label className={fieldClass.root}>
        <span className={fieldClass.label}>New logo</span>
        <input
          key={String(change.submittedAt)}
          type="file"
          accept={IMAGE_TYPES.join(",")}
          onChange={({ currentTarget }) => setFile(currentTarget.files?.[0] ?? null)}
          className="text-sm text-ink-muted file:mr-3 file:rounded-control file:border file:border-line-strong file:bg-raised file:px-3 file:py-2 file:text-sm file:font-medium file:text-ink"
        />
        <span className={fieldClass.hint}>
          PNG, JPEG or WebP. Square images look best, such as 256 × 256 pixels.
        </span>
      </label>
      <ErrorAlert title="Failed to save the logo." message={change.error?.message} />
      <div className="flex flex-wrap gap-3">
        <Button disabled={!file} busy={change.isPending} onClick={() => change.mutate(file)}>
          Save logo
        </Button>
        {logo && (
          <Button variant="danger" disabled={change.isPending} onClick={() => change.mutate(null)}>
            Delete logo
          </Button>
        )}
      </div>
    </Card>
  );
}
