import { csvLine } from "@shared/contract/files.ts";
import {
  type Followed,
  type FollowedQuery,
  followedQuerySchema,
  followedSchema,
  type ResultsEmail,
  resultsEmailSchema,
} from "@shared/contract/followed.ts";
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { api } from "../../lib/api/client.ts";
import { patchQueries, queryClient } from "../../lib/query-client.ts";

const FIELDS = [
  "origin",
  "symbol",
  "timeframe",
  "min_confidence",
  "since",
  "until",
  "start_balance",
  "risk_percent",
  "delay",
] as const satisfies (keyof FollowedQuery)[];
export type FollowedField = (typeof FIELDS)[number];

/** Parses the filters of an address. Invalid values are dropped. */
export function filterOf(params: URLSearchParams): FollowedQuery {
  const valid = FIELDS.map((name) => [name, params.get(name) ?? undefined] as const).filter(
    ([name, value]) => followedQuerySchema.shape[name].safeParse(value).success,
  );
  return followedQuerySchema.parse(Object.fromEntries(valid));
}

/** The address of a filter, without the defaults. */
export function paramsOf(filter: FollowedQuery): URLSearchParams {
  const defaults = new Map<string, unknown>(Object.entries(followedQuerySchema.parse({})));
  const set = Object.entries(filter).filter(
    ([name, value]) => value !== undefined && value !== defaults.get(name),
  );
  return new URLSearchParams(set.map(([name, value]) => [name, String(value)]));
}

export function useFollowed(filter: FollowedQuery) {
  return useQuery({
    queryKey: ["followed", filter],
    queryFn: ({ signal }) =>
      api({ path: "/me/followed", query: filter, schema: followedSchema, signal }),
    placeholderData: keepPreviousData,
  });
}

const resultsEmailKey = ["results-email"];

export const useResultsEmail = () =>
  useQuery({
    queryKey: resultsEmailKey,
    queryFn: ({ signal }) => api({ path: "/me/results-email", schema: resultsEmailSchema, signal }),
  });

export async function saveResultsEmail(body: ResultsEmail): Promise<void> {
  const request = { method: "PUT", path: "/me/results-email", body } as const;
  const saved = await api({ ...request, schema: resultsEmailSchema });
  patchQueries<ResultsEmail>(resultsEmailKey, () => saved);
}

type Account = Pick<FollowedQuery, "start_balance" | "risk_percent">;

/** The monthly email has the inputs that the user used last. One that is not saved is used the next time. */
export async function rememberAccount({ start_balance, risk_percent }: Account): Promise<void> {
  const known = queryClient.getQueryData<ResultsEmail>(resultsEmailKey);
  const isKnown = known?.start_balance === start_balance && known.risk_percent === risk_percent;
  if (!known?.monthly || isKnown) return;
  await saveResultsEmail({ monthly: true, start_balance, risk_percent }).catch(() => undefined);
}

/** Names state units; prices are in the quote currency of the symbol. */
const exportRow = (trade: Followed["results"][number]) => ({
  entered_at_utc: trade.entered_at,
  exited_at_utc: trade.exited_at,
  symbol: trade.symbol,
  timeframe: trade.timeframe,
  side: trade.side,
  fill_quote_currency: trade.fill,
  exit_quote_currency: trade.exit,
  result_r: trade.r_multiple,
  funding_usd: trade.funding,
  profit_usd: trade.profit,
  balance_usd: trade.balance,
  signal_id: trade.signal_id,
});

export function followedCsv({ results }: Pick<Followed, "results">): string {
  const rows = results.map(exportRow);
  return [Object.keys(rows[0] ?? {}), ...rows.map((row) => Object.values(row))]
    .map(csvLine)
    .join("");
}
