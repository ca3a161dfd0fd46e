import { findInstrument, INSTRUMENTS, type Instrument } from "@shared/contract/instruments.ts";
import { raceAbort } from "../deadline.ts";
import { UnusableCandlesError } from "./candles.ts";
import { CANDLE_LIMITS, fetchBody, type RequestLimits, withBase } from "./fetch-body.ts";
import type { CandleRequest, CandleSeries, LiveProvider } from "./market-data.ts";
import { isRateLimit, ProviderError, type ProviderFailure } from "./market-data.ts";
import { abortedByCaller, onOwnTime } from "./provider-deadline.ts";
import { ProviderPauses } from "./provider-pauses.ts";

export interface JsonAnswer {
  status: number;
  body: unknown;
}

export interface RestCall {
  instrument: Instrument;
  request: CandleRequest;
  /** Unix milliseconds; the end of the series if it is in the past. */
  now: number;
  get: (path: string) => Promise<JsonAnswer>;
  fail: (failure: ProviderFailure, message: string) => ProviderError;
}

/** Differences between REST services of candles. */
interface RestDialect {
  name: string;
  baseUrl: string;
  headers: Record<string, string>;
  /** The service's name of an instrument; undefined if it does not deal in it. */
  nameOf: (instrument: Instrument) => string | undefined;
  /** A cheap request to check whether the service responds. */
  pingPath: string;
  fetchSeries: (call: RestCall) => Promise<Omit<CandleSeries, "provider" | "data" | "notes">>;
}

export interface RestOptions {
  baseUrl: string;
  now: () => number;
  limits?: RequestLimits | undefined;
  /** Of all providers of this process; its own ones by default. */
  pauses?: ProviderPauses | undefined;
}

/** Live candles of the product's instruments from a JSON service. */
export class RestMarketData implements LiveProvider {
  readonly name: string;
  readonly #service: RestDialect & RestOptions;
  readonly #pauses: ProviderPauses;
  #answers = 0;

  constructor(service: RestDialect & RestOptions) {
    this.name = service.name;
    this.#service = service;
    this.#pauses = service.pauses ?? new ProviderPauses();
  }

  covers(symbol: string): boolean {
    return this.#find(symbol) !== undefined;
  }

  async symbols(): Promise<string[]> {
    return INSTRUMENTS.map(({ symbol }) => symbol).filter((symbol) => this.covers(symbol));
  }

  async candles(request: CandleRequest): Promise<CandleSeries> {
    const { symbol, abort, until = Number.POSITIVE_INFINITY, through = 0 } = request;
    const instrument = this.#find(symbol);
    if (!instrument) throw this.#failure("unknown-symbol", `${symbol} is not listed`);
    const fetching = this.#service.fetchSeries({
      instrument,
      request,
      now: Math.min(Math.max(this.#service.now(), through), until),
      get: (path) => this.#get(path, abort),
      fail: (failure, message) => this.#failure(failure, message),
    });
    const series = await this.#untilAborted(fetching, abort);
    return { ...series, provider: this.name, data: "live", notes: [] };
  }

  async isReachable(abort: AbortSignal): Promise<boolean> {
    const answersBefore = this.#answers;
    try {
      await this.#untilAborted(this.#get(this.#service.pingPath, abort), abort);
      return true;
    } catch (error) {
      // Any HTTP response, even an error, means that the service is reachable. One that is left alone gave one.
      return this.#answers > answersBefore || isRateLimit(error);
    }
  }

  #find(symbol: string): Instrument | undefined {
    const instrument = findInstrument(symbol);
    return instrument && this.#service.nameOf(instrument) !== undefined ? instrument : undefined;
  }

  async #get(path: string, abort: AbortSignal): Promise<JsonAnswer> {
    const { name, baseUrl, headers, limits = CANDLE_LIMITS } = this.#service;
    const request = {
      provider: name,
      url: withBase(`http://${name}${path}`, baseUrl),
      init: { headers: { accept: "application/json", ...headers } },
      abort,
      limits,
      onAnswer: () => {
        this.#answers += 1;
      },
    };
    const response = await this.#pauses.run(name, async (admit) => {
      await onOwnTime(admit);
      return fetchBody(request);
    });
    const body = parseJson(await response.text());
    if (body === undefined) throw this.#failure("nonsense", "the answer is no JSON");
    return { status: response.status, body };
  }

  async #untilAborted<T>(work: Promise<T>, abort: AbortSignal): Promise<T> {
    try {
      return await raceAbort(work, abort);
    } catch (error) {
      if (abort.aborted) throw abortedByCaller(this.name, error);
      if (!(error instanceof UnusableCandlesError)) throw error;
      throw this.#failure("nonsense", error.message, error);
    }
  }

  #failure(failure: ProviderFailure, message: string, cause?: unknown): ProviderError {
    return new ProviderError({ provider: this.name, failure, message, cause });
  }
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
