import { Skeleton } from "../../ui/skeleton.tsx";
import { signalTexts as texts } from "./texts.ts";

/** Stands where a signal will appear. */
export function SignalSkeleton() {
  return (
    <div role="status" aria-label={texts.loading} className="flex flex-col gap-5">
      <Skeleton className="h-[36rem] rounded-card" />
      <Skeleton className="h-60 rounded-card" />
    </div>
  );
}
