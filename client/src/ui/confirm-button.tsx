import { useRef, useState } from "react";
import { Button, type ButtonLook } from "./button.tsx";
import type { Confirmation } from "./confirm-dialog.tsx";
import { lazyComponent } from "./lazy-component.tsx";

const ConfirmDialog = lazyComponent(() => import("./confirm-dialog.tsx"), "ConfirmDialog");

interface ConfirmButtonProps extends ButtonLook, Confirmation {
  /** Label of the button and of the one that confirms. */
  label: string;
  disabled?: boolean;
}

export function ConfirmButton({
  label,
  disabled = false,
  variant = "danger",
  size = "sm",
  ...ask
}: ConfirmButtonProps) {
  /** Undefined until the dialog is first opened, which loads it. */
  const [open, setOpen] = useState<boolean>();
  const button = useRef<HTMLButtonElement>(null);
  return (
    <>
      <Button
        ref={button}
        variant={variant}
        size={size}
        disabled={disabled}
        aria-haspopup="dialog"
        aria-expanded={open ?? false}
        onClick={() => setOpen(true)}
      >
        {label}
      </Button>
      {open !== undefined && (
        <ConfirmDialog {...ask} label={label} open={open} onOpenChange={setOpen} opener={button} />
      )}
    </>
  );
}
