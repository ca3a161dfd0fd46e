import { factsOfKind } from "@shared/contract/channel-kinds/channel-kinds.ts";
import type { ChannelTotals } from "@shared/contract/channels.ts";
import { useMutation } from "@tanstack/react-query";
import { Play } from "lucide-react";
import { formatCount, formatPlural } from "../../lib/format.ts";
import { refetch } from "../../lib/query-client.ts";
import { Alert, ErrorAlert } from "../../ui/alert.tsx";
import { Button, TextLink } from "../../ui/button.tsx";
import { Card, Skeleton } from "../../ui/card.tsx";
import { ConfirmButton } from "../../ui/confirm-button.tsx";
import { QueryView } from "../../ui/load-states.tsx";
import { LocalTime } from "../../ui/local-time.tsx";
import { showToast } from "../../ui/show-toast.ts";
import { type Column, NumberTable } from "../../ui/table.tsx";
import { AdminSection } from "./admin-section.tsx";
import { adminKeys, reasonOf, runAction, setDeliveriesPaused, useChannelTotals } from "./api.ts";

/** Deliveries to the channels of all users. */
export function ChannelsSection() {
  const query = useChannelTotals();
  return (
    <AdminSection
      id="channels"
      title="Channels"
      lead={
        <>
          Messages outside the app in the last 24 hours.{" "}
          <TextLink to="/user-panel#notifications">Get new proofs on your phone</TextLink>
        </>
      }
      action={query.data?.paused === false && <PauseButton />}
    >
      <QueryView
        query={query}
        failed="Failed to load the channels."
        skeleton={<Skeleton className="h-64 rounded-card" />}
      >
        {({ paused, totals, failing }) => (
          <>
            {paused && <PausedBanner />}
            <NumberTable
              caption="Channels and their deliveries by kind"
              hidesCaption
              columns={columns}
              rows={totals}
              keyOf={({ kind }) => kind}
            />
            {failing.length > 0 && <FailingList failing={failing} />}
          </>
        )}
      </QueryView>
    </AdminSection>
  );
}

async function setPaused(isPaused: boolean): Promise<string> {
  const detail = await runAction(setDeliveriesPaused(isPaused));
  await refetch({ queryKey: adminKeys.channels });
  return detail;
}

const PauseButton = () => (
  <ConfirmButton
    label="Pause all"
    title="Pause all deliveries?"
    run={() => setPaused(true)}
    failureText={(error) => `Failed to pause the deliveries. Error: ${reasonOf(error)}`}
  >
    No messages are sent to any channel until you resume. Signals that are too late by then are
    dropped.
  </ConfirmButton>
);

function PausedBanner() {
  const resume = useMutation({
    mutationFn: async () => showToast({ title: await setPaused(false) }),
  });
  return (
    <Alert tone="warning" role="status" title="All deliveries are paused">
      <div className="flex flex-wrap items-center justify-between gap-3">
        <span>No channel gets messages until you resume.</span>
        <Button
          Icon={Play}
          variant="secondary"
          size="sm"
          busy={resume.isPending}
          onClick={() => resume.mutate()}
        >
          Resume
        </Button>
      </div>
      <ErrorAlert message={resume.error?.message} className="mt-3" />
    </Alert>
  );
}

type Totals = ChannelTotals["totals"][number];

const columns: readonly [Column<Totals>, ...Column<Totals>[]] = [
  {
    name: "Channel",
    value: ({ kind }) => factsOfKind(kind).name,
  },
  {
    name: "In use",
    value: ({ enabled, channels }) => (
      <>
        {formatCount(enabled)}
        {enabled < channels && (
          <span className="text-ink-faint max-sm:hidden"> of {formatCount(channels)}</span>
        )}
      </>
    ),
  },
  { name: "Delivered", value: ({ delivered }) => formatCount(delivered) },
  {
    name: "Retrying",
    isWide: true,
    tone: ({ retrying }) => retrying > 0 && "text-wait",
    value: ({ retrying }) => formatCount(retrying),
  },
  {
    name: "Failed",
    tone: ({ failed }) => failed > 0 && "text-danger",
    value: ({ failed }) => formatCount(failed),
  },
  { name: "Not sent", isWide: true, value: ({ suppressed }) => formatCount(suppressed) },
];

const cell = "px-3 py-3 sm:px-5";

const FailingList = ({ failing }: Pick<ChannelTotals, "failing">) => (
  <Card className="overflow-hidden">
    <h3 className={`${cell} border-b border-line text-sm text-ink-muted`}>Failing receivers</h3>
    <ul aria-label="Failing receivers" className="divide-y divide-line text-sm">
      {failing.map(({ channel_id: id, kind, ...receiver }) => (
        <li key={`${id}${receiver.since}`} className={cell}>
          <p className="wrap-anywhere">
            <span className="font-medium">{receiver.label}</span>{" "}
            <span className="text-ink-muted">
              ({factsOfKind(kind).name}) of {receiver.username}
            </span>
          </p>
          <p className="figures mt-0.5 text-ink-muted wrap-anywhere">
            <span className="text-danger">{problemOf(receiver)}</span> since{" "}
            <LocalTime iso={receiver.since} />, {formatPlural(receiver.attempts, "attempt")}
          </p>
          {receiver.next_attempt_at && (
            <p className="figures text-ink-faint">
              Next attempt <LocalTime iso={receiver.next_attempt_at} />
            </p>
          )}
        </li>
      ))}
    </ul>
  </Card>
);

type Receiver = Pick<ChannelTotals["failing"][number], "response_status" | "error">;

/** In the middle of a sentence, so without the full stop of an error. */
const problemOf = ({ response_status: code, error }: Receiver): string =>
  error?.replace(/\.$/, "") ?? (code === null ? "No response" : `Response ${code}`);
