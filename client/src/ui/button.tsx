import { LoaderCircle } from "lucide-react";
import type { ComponentProps } from "react";
import { type ButtonLook, buttonClass } from "./button-class.ts";

interface ButtonProps extends ComponentProps<"button">, ButtonLook {
  /** Work is under way: the button is disabled and shows a spinner before its words. */
  busy?: boolean;
}

export function Button({ variant, size, busy = false, className = "", ...props }: ButtonProps) {
  return (
    <button
      type="button"
      {...props}
      disabled={busy || props.disabled}
      aria-busy={busy || undefined}
      className={`${buttonClass({ variant, size })} ${className}`}
    >
      {busy && <LoaderCircle aria-hidden className="size-4 animate-spin" />}
      {props.children}
    </button>
  );
}
