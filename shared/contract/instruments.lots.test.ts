import { expect, test } from "vitest";
import { INSTRUMENTS } from "./instruments.ts";

test("where brokers count in lots, the lot's size in words and in units is the same", () => {
  const inLots = INSTRUMENTS.filter(({ contract }) => contract?.startsWith("One standard lot is"));
  expect(inLots).toHaveLength(8);
  for (const { contract, lotUnits } of inLots) {
    expect(contract).toContain(` ${lotUnits?.toLocaleString("en-US")} `);
  }
});

test("coins, indices and stocks are not counted in lots", () => {
  const inUnits = ["crypto", "index", "stocks"];
  const others = INSTRUMENTS.filter(({ class: kind }) => inUnits.includes(kind));
  expect(others.every(({ lotUnits }) => lotUnits === undefined)).toBe(true);
});
