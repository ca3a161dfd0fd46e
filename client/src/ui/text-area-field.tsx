import { Field } from "@base-ui/react/field";
import { fieldClass } from "./field-class.ts";

interface TextAreaFieldProps {
  name: string;
  label: string;
  value: string;
  onValueChange(value: string): void;
  hint?: string;
  /** Lines to begin with; the box grows with its text where the browser can do that. */
  rows: number;
}

/** A labelled text of several lines; its error comes from the form around it. */
export function TextAreaField({ name, label, hint, rows, ...control }: TextAreaFieldProps) {
  return (
    <Field.Root name={name} className={fieldClass.root}>
      <Field.Label className={fieldClass.label}>{label}</Field.Label>
      <Field.Control
        {...control}
        render={<textarea rows={rows} />}
        className={`${fieldClass.input} h-auto min-h-24 resize-y py-2.5 leading-relaxed field-sizing-content`}
      />
      {hint && <Field.Description className={fieldClass.hint}>{hint}</Field.Description>}
      <Field.Error className={fieldClass.error} />
    </Field.Root>
  );
}
