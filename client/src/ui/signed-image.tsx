import { ImageOff } from "lucide-react";
import { useRef, useState } from "react";

/** A picture that fails again sooner than that is not there; its address has not just expired. */
const ASK_AGAIN_MS = 30_000;
const MISSING = "Picture not available";

interface SignedImageProps {
  /** A signed address, which is good for some minutes. */
  src: string;
  alt: string;
  /** The picture does not load: a fresh address is wanted. */
  onExpired(): void;
  className?: string;
}

/** A picture behind a signed address. */
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
