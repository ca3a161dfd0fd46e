import { type EdgeRecord, edgeRecordSchema } from "@shared/contract/edge-record.ts";
import { edgeStatement } from "@shared/contract/edge-statement.ts";
import { useQuery } from "@tanstack/react-query";
import { apiOrigin } from "../../lib/env.ts";
import { homeTexts as texts } from "./texts.ts";

const STALE_MS = 60_000;
const TIMEOUT_MS = 10_000;

/** The edge of all live signals so far, in the space before the next section; empty while there is no record. */
export function LiveRecord() {
  const { data } = useQuery({
    queryKey: ["live-edge"],
    queryFn: ({ signal }) => readLiveRecord(signal),
    staleTime: STALE_MS,
  });
  return (
    <div className="min-h-29 pt-3 pb-8 sm:min-h-24">
      {data !== undefined && data.trades > 0 && (
        <p className="figures text-sm leading-relaxed text-ink-muted text-pretty">
          <strong className="font-medium text-ink">{texts.liveRecord}</strong> {edgeStatement(data)}
        </p>
      )}
    </div>
  );
}

/** Without the API client: a record needs no session, and a visitor's first page stays small. */
async function readLiveRecord(signal: AbortSignal): Promise<EdgeRecord> {
  const inTime = AbortSignal.any([signal, AbortSignal.timeout(TIMEOUT_MS)]);
  const response = await fetch(`${apiOrigin}/performance`, { signal: inTime });
  if (!response.ok) throw new Error(`GET /performance was answered with ${response.status}`);
  return edgeRecordSchema.parse(await response.json());
}
