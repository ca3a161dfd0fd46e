import { AlertDialog } from "@base-ui/react/alert-dialog";
import { useMutation } from "@tanstack/react-query";
import type { ReactNode, RefObject } from "react";
import { Alert } from "./alert.tsx";
import { Button, buttonClass } from "./button.tsx";
import { dialogClass } from "./dialog-class.ts";
import { showToast } from "./show-toast.ts";

const CANCEL = "Cancel";

/** What is asked before something is done that cannot be undone. */
export interface Confirmation {
  /** The question. */
  title: string;
  /** What will be lost. */
  children: ReactNode;
  /** Does it; resolves to the sentence that says what was done. */
  run(): Promise<string>;
  failureText(error: unknown): string;
}

interface ConfirmDialogProps extends Confirmation {
  /** Names the button that confirms. */
  label: string;
  open: boolean;
  onOpenChange(open: boolean): void;
  /** Where the focus goes afterwards. */
  opener: RefObject<HTMLElement | null>;
}

/** Asks, does it, and stays open with the reason if it fails. */
export function ConfirmDialog({ label, open, onOpenChange, opener, ...ask }: ConfirmDialogProps) {
  const action = useMutation({
    mutationFn: async () => showToast({ title: await ask.run() }),
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
          {action.isError && (
            <Alert tone="error" role="alert" className="mt-4">
              {ask.failureText(action.error)}
            </Alert>
          )}
          <div className={dialogClass.actions}>
            <AlertDialog.Close
              disabled={action.isPending}
              className={buttonClass({ variant: "secondary" })}
            >
              {CANCEL}
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
