import { Dialog } from "@base-ui/react/dialog";
import { ImageOff, X } from "lucide-react";
import { useRef, useState } from "react";
import { buttonClass } from "./button.tsx";
import { dialogClass } from "./dialog-class.ts";

interface ImageDialogProps {
  src: string;
  title: string;
  onExpired(): void;
  className: string;
}

/** A thumbnail of a signed URL that opens a larger view. */
export function ImageDialog({ src, title, onExpired, className }: ImageDialogProps) {
  return (
    <Dialog.Root>
      <Dialog.Trigger
        aria-label={`Enlarge: ${title}`}
        className={`block shrink-0 cursor-zoom-in overflow-hidden rounded-control border border-line transition-colors hover:border-ink-faint ${className}`}
      >
        <SignedImage src={src} alt="" onExpired={onExpired} className="size-full object-cover" />
      </Dialog.Trigger>
      <Dialog.Portal>
        <Dialog.Backdrop className={dialogClass.backdrop} />
        <Dialog.Popup
          className={`${dialogClass.popup} flex max-w-[calc(100vw-2rem)] min-w-[min(20rem,calc(100vw-2rem))] flex-col gap-3 p-3`}
        >
          <ImageDialogHeader title={title} />
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

export function ImageDialogHeader({ title }: { title: string }) {
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
