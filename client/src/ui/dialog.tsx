import { Dialog } from "@base-ui/react/dialog";
import { Form } from "@base-ui/react/form";
import { ImageOff, X } from "lucide-react";
import { type ReactNode, useRef, useState } from "react";
import type { useFormRequest } from "../lib/api/forms.ts";
import { ErrorAlert } from "./alert.tsx";
import { Button, type ButtonLook, buttonClass } from "./button.tsx";
import { Kbd } from "./kbd.tsx";

export const dialogClass = {
  backdrop:
    "fixed inset-0 z-40 bg-canvas/75 backdrop-blur-sm transition-opacity duration-200 data-ending-style:opacity-0 data-starting-style:opacity-0",
  popup:
    "fixed top-1/2 left-1/2 z-50 max-h-[calc(100dvh-2rem)] -translate-x-1/2 -translate-y-1/2 overflow-y-auto rounded-card border border-line-strong bg-surface shadow-float transition-[opacity,scale] duration-150 data-ending-style:scale-97 data-ending-style:opacity-0 data-starting-style:scale-97 data-starting-style:opacity-0",
  narrow: "w-[min(28rem,calc(100vw-2rem))] p-6",
  title: "text-lg font-semibold tracking-tight",
  actions: "flex flex-col-reverse gap-3 sm:flex-row sm:justify-end",
} as const;

interface FormDialogProps {
  /** Of the button that opens it. */
  label: string;
  look?: ButtonLook;
  /** The key that a surrounding dialog presses it for. */
  shortcut?: string;
  disabled?: boolean;
  title: string;
  form(close: () => void): ReactNode;
}

/** A button that opens a dialog with a `DialogForm`. */
export function FormDialog({ label, look, shortcut, title, form, ...button }: FormDialogProps) {
  const [open, setOpen] = useState(false);
  return (
    <Dialog.Root open={open} onOpenChange={setOpen}>
      <Dialog.Trigger {...button} aria-keyshortcuts={shortcut} className={buttonClass(look)}>
        {label}
        {shortcut && <Kbd>{shortcut}</Kbd>}
      </Dialog.Trigger>
      <Dialog.Portal>
        <Dialog.Backdrop className={dialogClass.backdrop} />
        <Dialog.Popup className={`${dialogClass.popup} ${dialogClass.narrow}`}>
          <Dialog.Title className={dialogClass.title}>{title}</Dialog.Title>
          {form(() => setOpen(false))}
        </Dialog.Popup>
      </Dialog.Portal>
    </Dialog.Root>
  );
}

/** What had the focus when a dialog without a trigger opened, and gets it back: for `finalFocus`. */
export function useOpener(isOpen: boolean) {
  const opener = useRef<HTMLElement | null>(null);
  const wasOpen = useRef(false);
  if (isOpen && !wasOpen.current && document.activeElement instanceof HTMLElement) {
    opener.current = document.activeElement;
  }
  wasOpen.current = isOpen;
  return opener;
}

interface DialogFormProps {
  request: Pick<ReturnType<typeof useFormRequest>, "formProps" | "isPending">;
  failure: string | null | undefined;
  /** Label of the button that sends it. */
  action: string;
  variant?: ButtonLook["variant"];
  description?: ReactNode;
  children: ReactNode;
}

export function DialogForm({
  request,
  description,
  children,
  failure,
  ...submit
}: DialogFormProps) {
  return (
    <Form {...request.formProps} className="mt-2 flex flex-col gap-5">
      {description && (
        <Dialog.Description className="leading-relaxed text-ink-muted text-pretty">
          {description}
        </Dialog.Description>
      )}
      {children}
      <ErrorAlert message={failure} />
      <div className={`${dialogClass.actions} mt-1`}>
        <Dialog.Close className={buttonClass({ variant: "secondary" })}>Cancel</Dialog.Close>
        <Button type="submit" variant={submit.variant} busy={request.isPending}>
          {submit.action}
        </Button>
      </div>
    </Form>
  );
}

interface ImageDialogProps {
  src: string;
  title: string;
  onExpired(): void;
  className: string;
  /** In place of the thumbnail: the image is loaded when it is opened. */
  children?: ReactNode;
}

/** A thumbnail of a signed URL that opens a larger view. */
export function ImageDialog({ src, title, onExpired, className, children }: ImageDialogProps) {
  return (
    <Dialog.Root>
      <Dialog.Trigger
        aria-label={`Enlarge: ${title}`}
        className={`block shrink-0 cursor-zoom-in overflow-hidden rounded-control border border-line transition-colors hover:border-ink-faint ${className}`}
      >
        {children ?? (
          <SignedImage src={src} alt="" onExpired={onExpired} className="size-full object-cover" />
        )}
      </Dialog.Trigger>
      <Dialog.Portal>
        <Dialog.Backdrop className={dialogClass.backdrop} />
        <Dialog.Popup
          className={`${dialogClass.popup} flex max-w-[calc(100vw-2rem)] min-w-[min(20rem,calc(100vw-2rem))] flex-col gap-3 p-3`}
        >
          <DialogHeader title={title} />
          <SignedImage
            src={src}
            alt={title}
            onExpired={onExpired}
            className="max-h-[calc(100dvh-8rem)] min-h-40 w-auto rounded-control object-contain"
          />
        </Dialog.Popup>
      </Dialog.Portal>
    </Dialog.Root>
  );
}

export function DialogHeader({ title }: { title: string }) {
  return (
    <div className="flex items-center justify-between gap-4 pl-2">
      <Dialog.Title className="min-w-0 truncate text-sm font-medium">{title}</Dialog.Title>
      <Dialog.Close
        aria-label="Close"
        className={`${buttonClass({ variant: "ghost", size: "sm" })} px-2`}
      >
        <X aria-hidden className="size-5" />
      </Dialog.Close>
    </div>
  );
}

/** An image that fails again sooner is missing; its URL has not just expired. */
const ASK_AGAIN_MS = 30_000;
const MISSING = "Image not available";

interface SignedImageProps {
  src: string;
  alt: string;
  onExpired(): void;
  className?: string;
}

export function SignedImage({ src, alt, onExpired, className = "" }: SignedImageProps) {
  const [failedSrc, setFailedSrc] = useState<string | null>(null);
  const askedAt = useRef(Number.NEGATIVE_INFINITY);
  const fail = () => {
    setFailedSrc(src);
    if (performance.now() - askedAt.current < ASK_AGAIN_MS) return;
    askedAt.current = performance.now();
    onExpired();
  };
  if (src === failedSrc) {
    return (
      <span
        role="img"
        aria-label={`${alt}. ${MISSING}`}
        title={MISSING}
        className={`flex items-center justify-center bg-raised text-ink-faint ${className}`}
      >
        <ImageOff aria-hidden className="size-6" strokeWidth={1.75} />
      </span>
    );
  }
  return (
    <img
      key={src}
      src={src}
      alt={alt}
      loading="lazy"
      decoding="async"
      onError={fail}
      className={`bg-raised ${className}`}
    />
  );
}
