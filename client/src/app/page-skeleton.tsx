import { useLocation } from "react-router-dom";
import { BotFrame } from "../features/bot/bot-frame.tsx";
import { Skeleton } from "../ui/skeleton.tsx";
import { appTexts } from "./texts.ts";

/** Shown while the code of the first screen loads. */
export function PageSkeleton() {
  const { pathname } = useLocation();
  if (pathname === "/bot") {
    return (
      <div className="early-unapproved:invisible">
        <BotFrame />
      </div>
    );
  }
  return (
    <div role="status" aria-label={appTexts.loading} className="page flex flex-col gap-6 py-10">
      <Skeleton className="h-9 w-56" />
      <Skeleton className="h-5 w-80 max-w-full" />
      <Skeleton className="h-72 w-full rounded-card" />
    </div>
  );
}
