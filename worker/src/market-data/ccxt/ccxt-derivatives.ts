import { DAY_MS, HOUR_MS, MINUTE_MS } from "@shared/contract/constants.ts";
import { USUAL_FUNDING_HOURS } from "@shared/outcomes/funding.ts";
import type { Exchange } from "ccxt";
import { z } from "zod";
import type {
  DerivativesData,
  DerivativesRequest,
  DerivativesValue,
  FundingRate,
} from "../derivatives.ts";
import { CANDLE_LIMITS, type RequestLimits } from "../fetch-body.ts";
import type { ProviderPauses } from "../provider-pauses.ts";
import {
  createExchange,
  createExchangeFetch,
  MARKET_LIMITS,
  requestScope,
  toProviderError,
} from "./exchange-client.ts";

/** New coins are listed rarely; an exchange that does not answer is asked again sooner. */
const LISTED_MS = DAY_MS;
const FAILED_MS = 10 * MINUTE_MS;

/** Funding takes place every one to eight hours. */
const FUNDING_SPAN_MS = DAY_MS;
const FUNDING_ROWS = 24;

const INTEREST_PERIOD = "5m";
const INTEREST_SPAN_MS = HOUR_MS;
const INTEREST_ROWS = 12;

/** Exchanges state rates as fractions. */
const PERCENT = 100;

export interface CcxtDerivativesOptions {
  exchangeId: string;
  baseUrl?: string | undefined;
  now: () => number;
  pauses: ProviderPauses;
  /** Keep to the request rate of the exchange by waiting; on by default. */
  pace?: boolean | undefined;
}

const rowsSchema = z.array(z.object({ timestamp: z.number() }).loose().catch({ timestamp: NaN }));
const fundingSchema = z.object({ timestamp: z.number(), fundingRate: z.number() });
const interestSchema = z.object({
  timestamp: z.number(),
  openInterestAmount: z.number().positive(),
});

/** Perpetual futures of one exchange, through ccxt. Rejects with `ProviderError`. */
class CcxtDerivatives implements DerivativesData {
  readonly #options: CcxtDerivativesOptions;
  #client: Exchange | undefined;
  #listed: { symbols: Promise<ReadonlySet<string>>; until: number } | undefined;

  constructor(options: CcxtDerivativesOptions) {
    this.#options = options;
  }

  /** Made when it is first asked: that takes time, and not every process asks. */
  get #exchange(): Exchange {
    this.#client ??= createClient(this.#options);
    return this.#client;
  }

  async fundingRate({ symbol, until, abort }: DerivativesRequest): Promise<FundingRate | null> {
    const exchange = this.#exchange;
    if (!exchange.has.fetchFundingRateHistory) return null;
    const perpetual = await this.#perpetualOf(symbol);
    if (perpetual === null) return null;
    const rows = await this.#call({ abort, limits: CANDLE_LIMITS }, () =>
      exchange.fetchFundingRateHistory(perpetual, until - FUNDING_SPAN_MS, FUNDING_ROWS),
    );
    const published = publishedUntil(rows, until);
    const last = fundingSchema.safeParse(published.at(-1)).data;
    if (!last) return null;
    const hours = hoursBetween(published.at(-2)?.timestamp, last.timestamp);
    return { ...this.#valueOf(last.fundingRate * PERCENT, last.timestamp), hours };
  }

  async openInterest({
    symbol,
    until,
    abort,
  }: DerivativesRequest): Promise<DerivativesValue | null> {
    const exchange = this.#exchange;
    if (!exchange.has.fetchOpenInterestHistory) return null;
    const perpetual = await this.#perpetualOf(symbol);
    if (perpetual === null) return null;
    const since = until - INTEREST_SPAN_MS;
    const rows = await this.#call({ abort, limits: CANDLE_LIMITS }, () =>
      exchange.fetchOpenInterestHistory(perpetual, INTEREST_PERIOD, since, INTEREST_ROWS),
    );
    const last = interestSchema.safeParse(publishedUntil(rows, until).at(-1)).data;
    return last ? this.#valueOf(last.openInterestAmount, last.timestamp) : null;
  }

  #valueOf(value: number, knownAt: number): DerivativesValue {
    return { value, knownAt, exchange: this.#options.exchangeId };
  }

  /** The name of ccxt for the perpetual future in the quote currency; null if the exchange has none. */
  async #perpetualOf(symbol: string): Promise<string | null> {
    const [base, quote] = symbol.split("/");
    const perpetual = `${base}/${quote}:${quote}`;
    return (await this.#symbols()).has(perpetual) ? perpetual : null;
  }

  /** Loaded once for simultaneous callers; a failure counts for a while, as the exchange may have no such list. */
  #symbols(): Promise<ReadonlySet<string>> {
    const now = this.#options.now();
    if (!this.#listed || now >= this.#listed.until) {
      const listed = { symbols: this.#loadSymbols(), until: now + LISTED_MS };
      listed.symbols.catch(() => {
        listed.until = now + FAILED_MS;
      });
      this.#listed = listed;
    }
    return this.#listed.symbols;
  }

  async #loadSymbols(): Promise<ReadonlySet<string>> {
    const scope = { abort: new AbortController().signal, limits: MARKET_LIMITS };
    const all = await this.#call(scope, () => this.#exchange.fetchMarkets());
    const perpetuals = all.filter((market) => market?.swap && market.linear);
    this.#exchange.setMarkets(perpetuals);
    const symbols = perpetuals.flatMap((market) => market?.symbol ?? []);
    return new Set(symbols);
  }

  #call<Answer>(
    scope: { abort: AbortSignal; limits: RequestLimits },
    send: () => Promise<Answer>,
  ): Promise<Answer> {
    const { exchangeId, pauses } = this.#options;
    return pauses.run(exchangeId, (admit) =>
      requestScope.run({ ...scope, admit }, send).catch((error: unknown) => {
        throw toProviderError(error, exchangeId);
      }),
    );
  }
}

function createClient({ exchangeId, baseUrl, pace = true }: CcxtDerivativesOptions): Exchange {
  const onAnswer = () => undefined;
  const fetch = createExchangeFetch({ provider: exchangeId, baseUrl, onAnswer });
  return createExchange({ id: exchangeId, fetch, pace, markets: "perpetual" });
}

/** The rows that were published by `until`, oldest first. */
function publishedUntil(rows: unknown, until: number): { timestamp: number }[] {
  return rowsSchema
    .parse(rows)
    .filter(({ timestamp }) => timestamp <= until)
    .toSorted((one, other) => one.timestamp - other.timestamp);
}

/** Hours between two fundings, as the last two were apart. A longer gap is one that is missing. */
function hoursBetween(before: number | undefined, last: number): number {
  if (before === undefined) return USUAL_FUNDING_HOURS;
  const hours = Math.round((last - before) / HOUR_MS);
  return Math.min(Math.max(hours, 1), USUAL_FUNDING_HOURS);
}

/** The first of the exchanges that answers counts. */
export function createDerivatives(
  options: Omit<CcxtDerivativesOptions, "exchangeId"> & { exchangeIds: readonly string[] },
): DerivativesData {
  const { exchangeIds, ...shared } = options;
  const exchanges = exchangeIds.map((exchangeId) => new CcxtDerivatives({ ...shared, exchangeId }));
  const firstOf = async <Value>(
    request: DerivativesRequest,
    read: (exchange: CcxtDerivatives) => Promise<Value | null>,
  ): Promise<Value | null> => {
    for (const exchange of exchanges) {
      request.abort.throwIfAborted();
      const value = await read(exchange).catch(() => null);
      if (value) return value;
    }
    return null;
  };
  return {
    fundingRate: (request) => firstOf(request, (exchange) => exchange.fundingRate(request)),
    openInterest: (request) => firstOf(request, (exchange) => exchange.openInterest(request)),
  };
}
