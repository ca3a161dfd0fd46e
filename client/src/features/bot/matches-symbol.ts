/** Whether a suggestion contains what was typed, without regard to case. */
export const matchesSymbol = (symbol: string, query: string): boolean =>
  symbol.toLowerCase().includes(query.trim().toLowerCase());
