import type { UnseenProblem } from "@shared/contract/channel-problem.ts";
import { useQuery } from "@tanstack/react-query";
import { TriangleAlert, X } from "lucide-react";
import { useMe } from "../domain/me.ts";
import { formatPlural } from "../lib/format.ts";
import { TextLink } from "../ui/button.tsx";
import { markProblemsSeen, notificationsQuery } from "./notifications.ts";
import { Strip } from "./strip.tsx";

/** Reports channels that failed or were turned off, on every page until it is seen. */
export function ChannelProblems() {
  const me = useMe();
  const { data } = useQuery({ ...notificationsQuery, enabled: me !== undefined });
  const problems = data?.channel_problems ?? [];
  const onSeen = () => markProblemsSeen(problems);
  return (
    <Strip>
      {problems.length > 0 && (
        <>
          <TriangleAlert aria-hidden className="size-4 shrink-0 text-wait" />
          <p className="min-w-0 truncate max-sm:flex-1">{problemText(problems)}</p>
          <TextLink to="/user-panel#notifications" onClick={onSeen} className="shrink-0">
            View
          </TextLink>
          <button
            type="button"
            aria-label="Hide problems of your channels"
            onClick={onSeen}
            className="-my-0.5 shrink-0 cursor-pointer rounded-lg p-1 hover:text-ink"
          >
            <X aria-hidden className="size-4" />
          </button>
        </>
      )}
    </Strip>
  );
}

function problemText(problems: readonly UnseenProblem[]): string {
  const [problem] = problems;
  if (!problem || problems.length > 1) {
    return `${formatPlural(problems.length, "channel")} failed or were turned off.`;
  }
  const { label, reason } = problem;
  return reason === "not-delivered"
    ? `${label}: a message could not be delivered.`
    : `${label} was turned off.`;
}
