import { expect, it } from "vitest";
import { recordedCandles } from "../../worker/src/testing/fakes.ts";
import { main } from "./run-bench-analysts.ts";

const DAY_MS = 86_400_000;
const dayOf = (time: number): string => new Date(time).toISOString().slice(0, 10);
/** A day of the recording with candles before and after it. */
const FIRST = recordedCandles("BTC-USDT.1h")[600]?.time ?? 0;

async function run(...args: string[]) {
  const lines: string[] = [];
  const say = (line: string) => lines.push(line);
  const exitCode = await main({ args, say, signal: new AbortController().signal });
  return { exitCode, lines };
}

it("compares rules and baselines over the recorded candles of some days", async () => {
  const range = ["--from", dayOf(FIRST), "--to", dayOf(FIRST + 2 * DAY_MS)];
  const { exitCode, lines } = await run(...range);
  expect(exitCode).toBe(0);
  for (const label of ["Built-in rules", "Donchian 20", "Momentum 100", "Random"]) {
    expect(lines.find((line) => line.startsWith(`${label}: 48 analyses, `))).toContain(
      "trained until none",
    );
  }
  expect(lines.filter((line) => line.includes(" less "))).toHaveLength(6);
});

it("explains itself, and refuses what is no day", async () => {
  expect((await run("--help")).lines.join("\n")).toContain("--training-end");
  await expect(run("--from", "soon", "--to", "2026-01-01")).rejects.toThrow(/^--from: is a day/);
});
