/** `price` with as many decimals as its market quotes. */
export function roundPrice(price: number, decimals: number): number {
  return Number(price.toFixed(decimals));
}
