import { edgeStatement } from "@shared/contract/edge-statement.ts";
import { useQuery } from "@tanstack/react-query";
import * as z from "zod/mini";
import { readPublic } from "../../../lib/public-api.ts";

/** The part of `GET /performance` that states the edge. In the light variant of zod: few bytes for visitors. */
const edgeRecordSchema = z.object({
  trades: z.number(),
  effective_trades: z.number(),
  lift: z.nullable(z.object({ value: z.number(), low: z.number(), high: z.number() })),
  edge_bounds: z.nullable(z.object({ low: z.number(), high: z.number() })),
  break_even_edge: z.nullable(z.number()),
});

const STALE_MS = 60_000;

export function LiveRecord() {
  const { data } = useQuery({
    queryKey: ["live-edge"],
    queryFn: ({ signal }) => readPublic({ path: "/performance", schema: edgeRecordSchema, signal }),
    staleTime: STALE_MS,
  });
  if (!data || data.trades === 0) return null;
  return (
    <p className="figures text-sm leading-relaxed text-ink-muted text-pretty">
      <strong className="font-medium text-ink">Live record so far.</strong> {edgeStatement(data)}
    </p>
  );
}
