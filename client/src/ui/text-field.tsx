import { Field } from "@base-ui/react/field";
import { MIN_PASSWORD_LENGTH } from "@shared/contract/constants.ts";
import { Eye, EyeOff } from "lucide-react";
import { type ComponentProps, type ReactNode, useState } from "react";
import { Button } from "./button.tsx";
import { fieldClass } from "./field-class.ts";

interface TextFieldProps extends ComponentProps<typeof Field.Control> {
  name: string;
  label: string;
  hint?: string;
  end?: ReactNode;
  /** Makes it a text area that grows with its text. */
  rows?: number;
}

/** A labelled input. Its error comes from the surrounding form. */
export function TextField({ name, label, hint, end, rows, ...control }: TextFieldProps) {
  const area = rows && { render: <textarea rows={rows} /> };
  const inputClass = `${fieldClass.input} ${rows ? areaClass : ""} ${end ? "pr-12" : ""}`;
  return (
    <Field.Root name={name} className={fieldClass.root}>
      <Field.Label className={fieldClass.label}>{label}</Field.Label>
      <div className="relative">
        <Field.Control {...control} {...area} className={inputClass} />
        {end && <div className="absolute inset-y-0 right-1 flex items-center">{end}</div>}
      </div>
      {hint && <Field.Description className={fieldClass.hint}>{hint}</Field.Description>}
      <Field.Error className={fieldClass.error} />
    </Field.Root>
  );
}

const areaClass = "block h-auto min-h-24 resize-y py-2.5 leading-relaxed field-sizing-content";

interface PasswordFieldProps extends Omit<TextFieldProps, "type" | "end" | "rows"> {
  autoComplete: "current-password" | "new-password";
}

export function PasswordField(field: PasswordFieldProps) {
  const [shown, setShown] = useState(false);
  const Icon = shown ? EyeOff : Eye;
  const toggle = (
    <button
      type="button"
      aria-label={shown ? "Hide password" : "Show password"}
      onClick={() => setShown(!shown)}
      className="rounded-lg p-2 text-ink-faint transition-colors hover:text-ink"
    >
      <Icon aria-hidden className="size-5" />
    </button>
  );
  return <TextField {...field} type={shown ? "text" : "password"} aria-required end={toggle} />;
}

export function NewPasswordFields({ minLength = MIN_PASSWORD_LENGTH }) {
  return (
    <>
      <PasswordField
        name="new_password"
        label="New password"
        hint={`At least ${minLength} characters.`}
        autoComplete="new-password"
      />
      <PasswordField name="confirmation" label="Confirm new password" autoComplete="new-password" />
    </>
  );
}

/** The buttons at the end of a form that is open in place. */
export const FormActions = ({ busy, onCancel }: { busy: boolean; onCancel(): void }) => (
  <div className="flex justify-end gap-3">
    <Button variant="ghost" size="sm" onClick={onCancel}>
      Cancel
    </Button>
    <Button type="submit" size="sm" busy={busy}>
      Save
    </Button>
  </div>
);
