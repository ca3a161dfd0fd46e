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
  const [open, setOpen] = useState(false);
  const [wanted, setWanted] = useState(false);
  const button = useRef<HTMLButtonElement>(null);
  const show = () => {
    setWanted(true);
    setOpen(true);
  };
  return (
    <>
      <Button
        ref={button}
        variant={variant}
        size={size}
        disabled={disabled}
        aria-haspopup="dialog"
        aria-expanded={open}
        onClick={show}
      >
        {label}
      </Button>
      {wanted && (
        <ConfirmDialog {...ask} label={label} open={open} onOpenChange={setOpen} opener={button} />
      )}
    </>
  );
}
