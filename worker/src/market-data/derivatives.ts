/** A value of a perpetual future, and when the exchange published it, Unix milliseconds. */
export interface DerivativesValue {
  value: number;
  knownAt: number;
  exchange: string;
}

/** Percent of the position that longs pay to shorts at each funding, which takes place every so many hours. */
export interface FundingRate extends DerivativesValue {
  hours: number;
}

/** Port of what exchanges publish about the perpetual future of a coin, as of a moment in the past. Null where they do not. */
export interface DerivativesData {
  fundingRate(request: DerivativesRequest): Promise<FundingRate | null>;
  /** In units of the coin. */
  openInterest(request: DerivativesRequest): Promise<DerivativesValue | null>;
}

export interface DerivativesRequest {
  /** Of the spot market, such as `BTC/USDT`. */
  symbol: string;
  /** Unix milliseconds; nothing that was published later counts. */
  until: number;
  abort: AbortSignal;
}
