import { useRef, useState } from "react";
import { Button, type ButtonLook } from "./button.tsx";
import type { Confirmation } from "./confirm-dialog.tsx";
import { Kbd } from "./kbd.tsx";
import { lazyComponent } from "./lazy-component.tsx";

const ConfirmDialog = lazyComponent(() => import("./confirm-dialog.tsx"), "ConfirmDialog");

interface ConfirmButtonProps extends ButtonLook, Confirmation {
  /** Label of the button and of the one that confirms. */
  label: string;
  /** The key that a surrounding dialog presses it for. */
  shortcut?: string;
  disabled?: boolean;
}

export function ConfirmButton({
  label,
  shortcut,
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
        aria-keyshortcuts={shortcut}
        aria-expanded={open ?? false}
        onClick={() => setOpen(true)}
      >
        {label}
        {shortcut && <Kbd>{shortcut}</Kbd>}
      </Button>
      {open !== undefined && (
        <ConfirmDialog {...ask} label={label} open={open} onOpenChange={setOpen} opener={button} />
      )}
    </>
  );
}
