import { Field } from "@base-ui/react/field";
import type { ComponentProps, ReactNode } from "react";
import { fieldClass } from "./field-class.ts";

interface TextFieldProps extends ComponentProps<typeof Field.Control> {
  name: string;
  label: string;
  hint?: string;
  /** Placed at the end of the input, e.g. a button that shows a password. */
  end?: ReactNode;
}

/** A labelled text input; its error comes from the form around it. */
export function TextField({ name, label, hint, end, ...control }: TextFieldProps) {
  return (
    <Field.Root name={name} className={fieldClass.root}>
      <Field.Label className={fieldClass.label}>{label}</Field.Label>
      <div className="relative">
        <Field.Control {...control} className={`${fieldClass.input} ${end ? "pr-12" : ""}`} />
        {end && <div className="absolute inset-y-0 right-1 flex items-center">{end}</div>}
      </div>
      {hint && <Field.Description className={fieldClass.hint}>{hint}</Field.Description>}
      <Field.Error className={fieldClass.error} />
    </Field.Root>
  );
}
