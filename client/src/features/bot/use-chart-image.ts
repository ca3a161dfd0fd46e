import { useState } from "react";
import { useLive } from "../../lib/live/live-store.ts";

/** The image attached to the next request, as far as its user may send one and can pay for it. */
export function useChartImage() {
  const [file, setFile] = useState<File | null>(null);
  const isAllowed = useLive((live) => live.account?.allow_image_upload ?? false);
  const credits = useLive((live) => live.account?.image_credits ?? 0);
  const image = isAllowed ? file : null;
  return {
    image,
    setImage: setFile,
    isAllowed,
    credits,
    isBlocked: image !== null && credits <= 0,
  };
}
