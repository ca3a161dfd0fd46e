import { useQuery } from "@tanstack/react-query";
import * as z from "zod/mini";
import { readPublic } from "../../lib/public-api.ts";

/** The part of `GET /status` that says who makes the signals. In the light variant of zod: few bytes for visitors. */
const statusSchema = z.object({ analyst: z.string() });

const STALE_MS = 60_000;

/** Whether an analyst reads chart images, so that image credits are of use; the rules do not. */
export function useReadsImages(): boolean {
  const { data } = useQuery({
    queryKey: ["status", "analyst"],
    queryFn: ({ signal }) => readPublic({ path: "/status", schema: statusSchema, signal }),
    staleTime: STALE_MS,
  });
  return data?.analyst !== "rules";
}
