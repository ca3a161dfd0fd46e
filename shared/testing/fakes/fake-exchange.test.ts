import { HOUR_MS } from "@shared/contract/constants.ts";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { type FakeExchange, startFakeExchange } from "./fake-exchange.ts";
import { calm } from "./weather.ts";

const ANSWERS = 4;
const NOON = Date.UTC(2026, 10, 20, 12);
const rowsSchema = z.array(z.tuple([z.number()], z.unknown()));

async function times(exchange: FakeExchange): Promise<number[][]> {
  const answers: number[][] = [];
  for (let index = 0; index < ANSWERS; index += 1) {
    const url = `${exchange.url}/api/v3/klines?symbol=BTCUSDT&interval=1h&limit=300`;
    const rows = rowsSchema.parse(await (await fetch(url)).json());
    answers.push(rows.map(([time]) => time));
  }
  await exchange.close();
  return answers;
}

const inOrder = Array.from({ length: 300 }, (_, index) => NOON - (299 - index) * HOUR_MS);

describe("a fake of an exchange", () => {
  const now = () => NOON;

  it("sends rows in disorder and more than once, unless a test needs a calm one", async () => {
    const answers = await times(await startFakeExchange({ now }));
    expect(answers.some((answer) => answer[0] !== inOrder[0])).toBe(true);
    for (const answer of answers) {
      expect(answer.length).toBeGreaterThan(inOrder.length);
      expect(answer).toEqual(expect.arrayContaining(inOrder));
    }
  });

  it("sends the same for the same requests", async () => {
    const [first, second] = [await startFakeExchange({ now }), await startFakeExchange({ now })];
    expect(await times(first)).toEqual(await times(second));
  });

  it("sends each row once and in order in calm weather", async () => {
    const answers = await times(await startFakeExchange({ now, weather: calm }));
    expect(answers).toEqual(Array(ANSWERS).fill(inOrder));
  });
});
