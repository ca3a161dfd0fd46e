import { expect, test } from "vitest";
import { INSTRUMENTS } from "./instruments.ts";

test("where brokers count in lots, the lot's size in words and in units is the same", () => {
  const inLots = INSTRUMENTS.filter(({ contract }) => contract?.startsWith("One standard lot is"));
  expect(inLots).toHaveLength(8);
  for (const { contract, lotUnits } of inLots) {
    expect(contract).toContain(` ${lotUnits?.toLocaleString("en-US")} `);
  }
});

test("coins and indices are not counted in lots", () => {
  const others = INSTRUMENTS.filter(({ class: kind }) => kind === "crypto" || kind === "index");
  expect(others.every(({ lotUnits }) => lotUnits === undefined)).toBe(true);
});
