import { findInstrument, INSTRUMENTS, type Instrument } from "@shared/contract/instruments.ts";
import { UnusableCandlesError } from "./candles.ts";
import { abortedByCaller, raceAbort } from "./deadline.ts";
import { fetchBody, type RequestLimits, withBase } from "./fetch-body.ts";
import type { CandleRequest, CandleSeries, LiveProvider } from "./market-data.ts";
import { ProviderError, type ProviderFailure } from "./provider-error.ts";

const DEFAULT_LIMITS: RequestLimits = {
  headersTimeoutMs: 4_000,
  totalTimeoutMs: 5_000,
  maxBytes: 8_000_000,
};

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
export interface RestDialect {
  name: string;
  baseUrl: string;
  headers: Record<string, string>;
  /** The service's name of an instrument; undefined if it does not deal in it. */
  nameOf: (instrument: Instrument) => string | undefined;
  /** A cheap request to check whether the service responds. */
  pingPath: string;
  fetchSeries: (call: RestCall) => Promise<Omit<CandleSeries, "provider" | "data" | "notes">>;
}

/** Live candles of the product's instruments from a JSON service. */
export class RestMarketData implements LiveProvider {
  readonly name: string;
  private readonly dialect: RestDialect;
  private readonly now: () => number;
  private readonly limits: RequestLimits;
  private answers = 0;

  constructor(options: {
    dialect: RestDialect;
    now: () => number;
    limits?: RequestLimits | undefined;
  }) {
    this.dialect = options.dialect;
    this.name = options.dialect.name;
    this.now = options.now;
    this.limits = options.limits ?? DEFAULT_LIMITS;
  }

  covers(symbol: string): boolean {
    return this.listed(symbol) !== undefined;
  }

  async symbols(): Promise<string[]> {
    return INSTRUMENTS.map(({ symbol }) => symbol).filter((symbol) => this.covers(symbol));
  }

  async candles(request: CandleRequest): Promise<CandleSeries> {
    const instrument = this.listed(request.symbol);
    if (!instrument) throw this.failure("unknown-symbol", `${request.symbol} is not listed`);
    const { abort } = request;
    const call: RestCall = {
      instrument,
      request,
      now: Math.min(this.now(), request.until ?? Number.POSITIVE_INFINITY),
      get: (path) => this.get(path, abort),
      fail: (failure, message) => this.failure(failure, message),
    };
    const series = await this.inOurTerms(abort, () => this.dialect.fetchSeries(call));
    return { ...series, provider: this.name, data: "live", notes: [] };
  }

  async isReachable(abort: AbortSignal): Promise<boolean> {
    const answersBefore = this.answers;
    try {
      await this.inOurTerms(abort, () => this.get(this.dialect.pingPath, abort));
      return true;
    } catch {
      // Any HTTP answer, an error too, means that the service is there.
      return this.answers > answersBefore;
    }
  }

  private listed(symbol: string): Instrument | undefined {
    const instrument = findInstrument(symbol);
    return instrument && this.dialect.nameOf(instrument) !== undefined ? instrument : undefined;
  }

  private async get(path: string, abort: AbortSignal): Promise<JsonAnswer> {
    const { name, baseUrl, headers } = this.dialect;
    const response = await fetchBody({
      provider: name,
      url: withBase(`http://${name}${path}`, baseUrl),
      init: { headers: { accept: "application/json", ...headers } },
      aborts: [abort],
      limits: this.limits,
      onAnswer: () => {
        this.answers += 1;
      },
    });
    const body = parseJson(await response.text());
    if (body === undefined) throw this.failure("nonsense", "the answer is no JSON");
    return { status: response.status, body };
  }

  private async inOurTerms<T>(abort: AbortSignal, work: () => Promise<T>): Promise<T> {
    try {
      return await raceAbort(work(), abort);
    } catch (error) {
      if (abort.aborted) throw abortedByCaller(this.name, error);
      if (error instanceof UnusableCandlesError)
        throw this.failure("nonsense", error.message, error);
      throw error;
    }
  }

  private failure(failure: ProviderFailure, message: string, cause?: unknown): ProviderError {
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
