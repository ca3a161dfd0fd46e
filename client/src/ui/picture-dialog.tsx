import { Dialog } from "@base-ui/react/dialog";
import { X } from "lucide-react";
import { buttonClass } from "./button-class.ts";
import { dialogClass } from "./dialog-class.ts";
import { SignedImage } from "./signed-image.tsx";

const texts = { enlarge: "Enlarge", close: "Close" } as const;

interface PictureDialogProps {
  /** A signed address. */
  src: string;
  /** What the picture is; the title of the larger view. */
  title: string;
  onExpired(): void;
  /** Size and shape of the small picture. */
  className: string;
}

/** A small picture that opens a larger view of itself. */
export function PictureDialog({ src, title, onExpired, className }: PictureDialogProps) {
  return (
    <Dialog.Root>
      <Dialog.Trigger
        aria-label={`${texts.enlarge}: ${title}`}
        className={`block shrink-0 cursor-zoom-in overflow-hidden rounded-control border border-line transition-colors hover:border-ink-faint ${className}`}
      >
        <SignedImage src={src} alt="" onExpired={onExpired} className="size-full object-cover" />
      </Dialog.Trigger>
      <Dialog.Portal>
        <Dialog.Backdrop className={dialogClass.backdrop} />
        <Dialog.Popup
          className={`${dialogClass.popup} flex max-w-[calc(100vw-2rem)] min-w-[min(20rem,calc(100vw-2rem))] flex-col gap-3 p-3`}
        >
          <div className="flex items-center justify-between gap-4 pl-2">
            <Dialog.Title className="min-w-0 truncate text-sm font-medium">{title}</Dialog.Title>
            <Dialog.Close
              aria-label={texts.close}
              className={`${buttonClass({ variant: "ghost", size: "sm" })} px-2`}
            >
              <X aria-hidden className="size-5" />
            </Dialog.Close>
          </div>
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
