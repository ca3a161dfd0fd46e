import { noRates, record } from "@shared/testing/performance-record.ts";
import { screen, waitFor } from "@testing-library/react";
import { expect, test } from "vitest";
import { api } from "../../testing/fake-api.ts";
import { openApp } from "../../testing/open-app.tsx";

const headings = (level: number) =>
  screen.getAllByRole("heading", { level }).map((heading) => heading.textContent);

test("the home page says what the product is, from top to bottom", async () => {
  openApp("/");
  await screen.findByRole("heading", { level: 1, name: "AI-Powered Trading Signals" });
  expect(headings(2)).toEqual(["Why Choose Our Bot?", "Market Overview", "Cryptocurrency Markets"]);
  expect(headings(3)).toEqual(["AI-Driven Analysis", "Real-Time Signals", "Comprehensive History"]);
  const legal = [
    ["Privacy Policy", "/privacy"],
    ["Terms of Service", "/terms"],
  ] as const;
  for (const [name, href] of legal) {
    expect(screen.getByRole("link", { name }).getAttribute("href")).toBe(href);
  }
});

test("the record of all signals is not mentioned while there is none", async () => {
  const none = Object.fromEntries(Object.keys(record.counts).map((name) => [name, 0]));
  api.reply("GET /performance", { ...record, ...noRates, counts: none, trades: 0 });
  openApp("/");
  await screen.findByRole("heading", { level: 1 });
  await waitFor(() => expect(api.bodiesOf("GET /performance")).not.toHaveLength(0));
  await waitFor(() => expect(screen.queryByText("Live record so far.")).toBeNull());
});
