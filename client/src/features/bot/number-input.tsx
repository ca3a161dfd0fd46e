import { Field } from "@base-ui/react/field";
import { NumberField } from "@base-ui/react/number-field";
import { Minus, Plus } from "lucide-react";
import { fieldClass } from "../../ui/field-class.ts";
import { botTexts } from "./texts.ts";

const FORMAT: Intl.NumberFormatOptions = { maximumFractionDigits: 8 };

interface NumberInputProps {
  name: string;
  label: string;
  value: number | null;
  /** Stands in for what is left empty or does not parse. */
  fallback: number;
  step: number;
  onChange(value: number | null): void;
}

/** A number with a step up and down; it has no bounds of its own, the form objects to what is out of range. */
export function NumberInput({ name, label, value, fallback, step, onChange }: NumberInputProps) {
  return (
    <Field.Root name={name} className={fieldClass.root}>
      <Field.Label className={fieldClass.label}>{label}</Field.Label>
      <NumberField.Root
        value={value}
        onValueChange={onChange}
        locale="en-US"
        format={FORMAT}
        step={step}
      >
        <NumberField.Group className={fieldClass.group}>
          <NumberField.Input
            onBlur={() => value === null && onChange(fallback)}
            className="figures min-w-0 flex-1 bg-transparent px-3.5 outline-none"
          />
          <NumberField.Decrement aria-label={botTexts.decrease} className={stepClass}>
            <Minus aria-hidden className="size-4" />
          </NumberField.Decrement>
          <NumberField.Increment aria-label={botTexts.increase} className={stepClass}>
            <Plus aria-hidden className="size-4" />
          </NumberField.Increment>
        </NumberField.Group>
      </NumberField.Root>
      <Field.Error className={fieldClass.error} />
    </Field.Root>
  );
}

const stepClass =
  "flex w-10 items-center justify-center text-ink-faint transition-colors hover:bg-raised hover:text-ink disabled:opacity-40";
