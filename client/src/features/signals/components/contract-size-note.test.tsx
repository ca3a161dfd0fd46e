import { render, screen } from "@testing-library/react";
import { expect, test } from "vitest";
import { ContractSizeNote } from "./contract-size-note.tsx";

const tooSmall = /smaller than the smallest order/;

test.each([
  { symbol: "EUR/USD", units: 999, entry: 1.25, isSo: true },
  { symbol: "EUR/USD", units: 1_000, entry: 1.25, isSo: false },
  { symbol: "XAU/USD", units: 0.5, entry: 4_000, isSo: true },
  { symbol: "US30", units: 0.01, entry: 40_000, isSo: false },
  { symbol: "BTC/USDT", units: 0.00004, entry: 100_000, isSo: true },
  { symbol: "BTC/USDT", units: 0.00006, entry: 100_000, isSo: false },
  { symbol: "ETH/BTC", units: 0.0001, entry: 0.04, isSo: false },
])("$units of $symbol at $entry are too small for an order: $isSo", ({ isSo, ...position }) => {
  render(<ContractSizeNote {...position} />);
  expect(screen.queryAllByText(tooSmall)).toHaveLength(isSo ? 1 : 0);
});
