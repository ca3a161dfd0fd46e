/** What a model charges, in US dollars per million tokens. */
export interface TokenPrice {
  promptUsd: number;
  completionUsd: number;
}

const TOKENS_PER_PRICE = 1_000_000;

/** US dollars for the tokens of one call. */
export function tokenCost(
  tokens: { promptTokens: number; completionTokens: number },
  { promptUsd, completionUsd }: TokenPrice,
): number {
  const { promptTokens, completionTokens } = tokens;
  return (promptTokens * promptUsd + completionTokens * completionUsd) / TOKENS_PER_PRICE;
}
