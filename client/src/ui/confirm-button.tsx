import { lazy, Suspense, useRef, useState } from "react";
import { Button, type ButtonLook } from "./button.tsx";
import type { Confirmation } from "./confirm-dialog.tsx";

/** Loaded when it is first asked something. */
const ConfirmDialog = lazy(async () => ({
  default: (await import("./confirm-dialog.tsx")).ConfirmDialog,
}));

interface ConfirmButtonProps extends ButtonLook, Confirmation {
  /** Names the button, and once more the one that confirms. */
  label: string;
  disabled?: boolean;
}

/** A button for what cannot be undone: it asks first. */
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
        <Suspense fallback={null}>
          <ConfirmDialog
            {...ask}
            label={label}
            open={open}
            onOpenChange={setOpen}
            opener={button}
          />
        </Suspense>
      )}
    </>
  );
}
