import { Dialog } from "@base-ui/react/dialog";
import { Columns2 } from "lucide-react";
import { buttonClass } from "../../../ui/button.tsx";
import { dialogClass } from "../../../ui/dialog-class.ts";
import { ImageDialogHeader, SignedImage } from "../../../ui/image-dialog.tsx";
import { LocalTime } from "../../../ui/local-time.tsx";

interface ComparedProof {
  title: string;
  url: string;
  at: string;
}

/** A button that shows two proofs of payment side by side. */
export function ProofComparison({
  proofs,
  onExpired,
}: {
  proofs: readonly ComparedProof[];
  onExpired(): void;
}) {
  return (
    <Dialog.Root>
      <Dialog.Trigger
        className={`${buttonClass({ variant: "secondary", size: "sm" })} mt-2 text-ink`}
      >
        <Columns2 aria-hidden className="size-4" />
        Compare images
      </Dialog.Trigger>
      <Dialog.Portal>
        <Dialog.Backdrop className={dialogClass.backdrop} />
        <Dialog.Popup className={`${dialogClass.popup} w-[min(60rem,calc(100vw-1rem))] p-3 sm:p-4`}>
          <ImageDialogHeader title="Compare proofs of payment" />
          <div className="mt-2 grid grid-cols-2 gap-2 sm:gap-4">
            {proofs.map(({ title, url, at }) => (
              <figure key={title} className="flex min-w-0 flex-col gap-2">
                <figcaption className="px-1 text-xs text-ink-muted sm:text-sm">
                  <span className="block font-medium break-words text-ink">{title}</span>
                  <span className="figures">
                    <LocalTime iso={at} />
                  </span>
                </figcaption>
                <a
                  href={url}
                  target="_blank"
                  rel="noreferrer"
                  aria-label={`${title}: open in a new tab`}
                  className="cursor-zoom-in"
                >
                  <SignedImage
                    src={url}
                    alt={title}
                    onExpired={onExpired}
                    className="max-h-[calc(100dvh-10rem)] min-h-40 w-full rounded-control object-contain"
                  />
                </a>
              </figure>
            ))}
          </div>
        </Dialog.Popup>
      </Dialog.Portal>
    </Dialog.Root>
  );
}
