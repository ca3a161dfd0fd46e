import { AlertDialog } from "@base-ui/react/alert-dialog";
import { useMutation } from "@tanstack/react-query";
import type { ReactNode, RefObject } from "react";
import { ErrorAlert } from "./alert.tsx";
import { Button, buttonClass } from "./button.tsx";
import { dialogClass } from "./dialog.tsx";
import { showToast } from "./show-toast.ts";

export interface Confirmation {
  title: string;
  children: ReactNode;
  /** Runs the action. A text that it returns is shown as the confirmation. */
  run(): Promise<unknown>;
  failureText(error: unknown): string;
}

interface ConfirmDialogProps extends Confirmation {
  label: string;
  open: boolean;
  onOpenChange(open: boolean): void;
  opener: RefObject<HTMLElement | null>;
}

export function ConfirmDialog({ label, open, onOpenChange, opener, ...ask }: ConfirmDialogProps) {
  const action = useMutation({
    mutationFn: async () => {
      const title = await ask.run();
      if (typeof title === "string") showToast({ title });
    },
    onSuccess: () => onOpenChange(false),
  });
  const change = (next: boolean) => {
    if (action.isPending) return;
    action.reset();
    onOpenChange(next);
  };
  return (
    <AlertDialog.Root open={open} onOpenChange={change}>
      <AlertDialog.Portal>
        <AlertDialog.Backdrop className={dialogClass.backdrop} />
        <AlertDialog.Popup
          finalFocus={opener}
          className={`${dialogClass.popup} ${dialogClass.narrow}`}
        >
          <AlertDialog.Title className={dialogClass.title}>{ask.title}</AlertDialog.Title>
          <AlertDialog.Description className="mt-2 leading-relaxed text-ink-muted text-pretty">
            {ask.children}
          </AlertDialog.Description>
          <ErrorAlert message={action.isError && ask.failureText(action.error)} className="mt-4" />
          <div className={`${dialogClass.actions} mt-6`}>
            <AlertDialog.Close
              disabled={action.isPending}
              className={buttonClass({ variant: "secondary" })}
            >
              Cancel
            </AlertDialog.Close>
            <Button variant="dangerSolid" busy={action.isPending} onClick={() => action.mutate()}>
              {label}
            </Button>
          </div>
        </AlertDialog.Popup>
      </AlertDialog.Portal>
    </AlertDialog.Root>
  );
}
