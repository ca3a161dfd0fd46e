import { act, cleanup, render, screen } from "@testing-library/react";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import {
  receivePrice,
  receiveStale,
  startPrices,
  stopPrices,
  useLivePrice,
} from "./live-prices.ts";

const NOW = Date.UTC(2026, 10, 20, 12);
const ago = (ms: number) => new Date(Date.now() - ms).toISOString();

function Price({ symbol }: { symbol?: string }) {
  const live = useLivePrice(symbol);
  return <p>{live ? `${symbol} ${live.price}${live.isStale ? " stale" : ""}` : "none"}</p>;
}

const Prices = ({ symbols }: { symbols: string[] }) =>
  symbols.map((symbol) => <Price key={symbol} symbol={symbol} />);

/** What the server was asked for, and how it answers. */
const asked: string[][] = [];
let answer: (symbols: string[]) => string = () => "watched";
const connect = () =>
  startPrices(async (symbols) => {
    asked.push(symbols);
    return answer(symbols);
  });
const pass = (ms: number): Promise<void> =>
  act(async () => {
    await vi.advanceTimersByTimeAsync(ms);
  });
const receive = (symbol: string, price: number, at = ago(0)) =>
  act(() => receivePrice({ symbol, price, at }));

beforeEach(() => {
  vi.useFakeTimers({ now: NOW });
  answer = () => "watched";
});
afterEach(async () => {
  cleanup();
  await pass(1_000);
  stopPrices();
  asked.length = 0;
  vi.useRealTimers();
});

test("it shows the price of a market, which is stale when the server says so, not because it does not change", async () => {
  connect();
  render(<Price symbol="BTC/USDT" />);
  expect(screen.getByText("none")).toBeDefined();
  await pass(700);
  expect(asked).toEqual([["BTC/USDT"]]);
  receive("BTC/USDT", 100);
  receive("ETH/USDT", 7);
  expect(screen.getByText("BTC/USDT 100")).toBeDefined();
  await pass(120_000);
  expect(screen.getByText("BTC/USDT 100")).toBeDefined();
  act(() => receiveStale({ symbol: "BTC/USDT", stale: true, at: ago(40_000) }));
  expect(screen.getByText("BTC/USDT 100 stale")).toBeDefined();
  act(() => receiveStale({ symbol: "BTC/USDT", stale: false, at: ago(0) }));
  expect(screen.getByText("BTC/USDT 100")).toBeDefined();
  receive("BTC/USDT", 101);
  expect(screen.getByText("BTC/USDT 101")).toBeDefined();
  receive("BTC/USDT", 99, ago(60_000));
  expect(screen.getByText("BTC/USDT 99 stale")).toBeDefined();
});

test("without a connection, prices are stale after 30 s", async () => {
  connect();
  render(<Price symbol="BTC/USDT" />);
  await pass(700);
  receive("BTC/USDT", 100);
  stopPrices();
  await pass(29_000);
  expect(screen.getByText("BTC/USDT 100")).toBeDefined();
  await pass(3_000);
  expect(screen.getByText("BTC/USDT 100 stale")).toBeDefined();
});

test("markets that appear together are one request, and each is asked for once while it is on the screen", async () => {
  connect();
  const { rerender } = render(<Prices symbols={["BTC/USDT", "ETH/USDT"]} />);
  const again = render(<Price symbol="BTC/USDT" />);
  await pass(700);
  expect(asked).toEqual([["BTC/USDT", "ETH/USDT"]]);
  rerender(<Prices symbols={["ETH/USDT"]} />);
  await pass(700);
  expect(asked).toHaveLength(1);
  again.unmount();
  await pass(700);
  expect(asked.at(-1)).toEqual(["ETH/USDT"]);
  rerender(<Prices symbols={[]} />);
  await pass(700);
  expect(asked.at(-1)).toEqual([]);
});

test("after a reconnect it asks again", async () => {
  connect();
  render(<Price symbol="BTC/USDT" />);
  await pass(700);
  stopPrices();
  await pass(5_000);
  connect();
  await pass(700);
  expect(asked).toEqual([["BTC/USDT"], ["BTC/USDT"]]);
});

test("it asks for at most 20 markets, the first on the screen", async () => {
  const symbols = Array.from({ length: 25 }, (_, index) => `C${index}/USDT`);
  connect();
  render(<Prices symbols={symbols} />);
  await pass(700);
  expect(asked).toEqual([symbols.slice(0, 20)]);
});

test("a market that the server does not know does not cost the others their prices", async () => {
  answer = (symbols) => (symbols.includes("FOO/BAR") ? "invalid-input" : "watched");
  connect();
  render(<Prices symbols={["BTC/USDT", "FOO/BAR", "ETH/USDT"]} />);
  await pass(2_000);
  expect(asked.at(-1)).toEqual(["BTC/USDT", "ETH/USDT"]);
  expect(asked).toHaveLength(2);
});

test("it tries again while the service is unavailable, but not without access", async () => {
  answer = () => "unavailable";
  connect();
  render(<Price symbol="BTC/USDT" />);
  await pass(700);
  answer = () => "not-approved";
  await pass(6_000);
  expect(asked).toHaveLength(2);
  await pass(60_000);
  expect(asked).toHaveLength(2);
});

test("without a symbol it asks for nothing", async () => {
  connect();
  render(<Price />);
  await pass(700);
  expect(asked).toEqual([]);
});
