import { type SessionList, sessionListSchema } from "@shared/contract/account-requests.ts";
import { useMutation, useQuery } from "@tanstack/react-query";
import { MonitorSmartphone } from "lucide-react";
import { z } from "zod";
import { api } from "../../lib/api/client.ts";
import { describeBrowser } from "../../lib/describe-browser.ts";
import { refetch } from "../../lib/query-client.ts";
import { ErrorAlert } from "../../ui/alert.tsx";
import { Button } from "../../ui/button.tsx";
import { Card, Skeleton } from "../../ui/card.tsx";
import { QueryView } from "../../ui/load-error.tsx";
import { LocalTime } from "../../ui/local-time.tsx";

const SESSIONS = ["sessions"];

export function SessionsCard() {
  const sessions = useQuery({
    queryKey: SESSIONS,
    queryFn: ({ signal }) => api({ path: "/me/sessions", schema: sessionListSchema, signal }),
  });
  return (
    <Card className="flex flex-col gap-4 p-6">
      <div>
        <h2 className="text-lg font-semibold tracking-tight">Sessions</h2>
        <p className="mt-1 text-sm leading-relaxed text-ink-muted text-pretty">
          Where you are signed in. End every session that you don't recognize, then change your
          password.
        </p>
      </div>
      <QueryView
        query={sessions}
        failed="Failed to load your sessions."
        skeleton={<Skeleton className="h-14" />}
      >
        {(list) => (
          <ul className="flex flex-col gap-4">
            {list.sessions.map((session) => (
              <SessionItem key={session.id} session={session} />
            ))}
          </ul>
        )}
      </QueryView>
    </Card>
  );
}

function SessionItem({ session }: { session: SessionList["sessions"][number] }) {
  const { id, current, last_seen_at, user_agent } = session;
  const end = useMutation({
    mutationFn: () =>
      api({
        method: "DELETE",
        path: "/me/sessions/:id",
        params: { id },
        schema: z.undefined(),
      }),
    onSettled: () => refetch({ queryKey: SESSIONS }),
  });
  const browser = describeBrowser(user_agent);
  return (
    <li className="flex flex-col gap-2">
      <div className="flex items-center gap-3">
        <MonitorSmartphone aria-hidden className="size-5 shrink-0 text-ink-faint" />
        <div className="min-w-0 grow">
          <p className="truncate text-sm font-medium" title={user_agent}>
            {browser}
          </p>
          <p className="text-sm text-ink-faint">
            {current ? "This session" : <LocalTime iso={last_seen_at} />}
          </p>
        </div>
        {!current && (
          <Button
            variant="secondary"
            size="sm"
            busy={end.isPending}
            aria-label={`End the session in ${browser}`}
            onClick={() => end.mutate()}
          >
            End
          </Button>
        )}
      </div>
      <ErrorAlert message={end.error?.message} />
    </li>
  );
}
