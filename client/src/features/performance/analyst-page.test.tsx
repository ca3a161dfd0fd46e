import type { RecordParts } from "@shared/contract/performance.ts";
import { around, record } from "@shared/testing/performance-record.ts";
import { screen, within } from "@testing-library/react";
import { expect, test } from "vitest";
import { api } from "../../testing/fake-api.ts";
import { openApp } from "../../testing/open-app.tsx";

const PATH = "/analyst?analyst=openai&version=openai%2F7&model=gpt-large";

const crypto = { ...record, class: "crypto" as const, more_trades_to_know: 1_234 };
const forex = {
  ...record,
  class: "forex" as const,
  ...{ trades: 12, effective_trades: 9, lift: null, edge_bounds: null, break_even_edge: null },
  ...{ expectancy_r: null, brier_skill: null, more_trades_to_know: null },
};
const parts: RecordParts = {
  classes: [crypto, forex],
  timeframes: [{ ...record, timeframe: "4h" }],
};

function open(answer: Partial<typeof record> = {}, path = PATH) {
  api.reply("GET /performance", { ...record, ...answer });
  api.reply("GET /performance/parts", parts);
  return openApp(path);
}

const cellsOf = async (table: string, row: string) => {
  const rows = within(await screen.findByRole("table", { name: table }));
  const found = rows.getByRole("rowheader", { name: row }).closest("tr");
  return [...(found?.querySelectorAll("td") ?? [])].map(({ textContent }) => textContent);
};

test("the page of an analyst and model says what is known, and shows calibration and skill", async () => {
  open();
  await screen.findByRole("heading", { level: 1, name: "gpt-large" });
  await screen.findByText(/^Better than chance after costs: an edge of \+9\.0/, {
    selector: "h2 + p",
  });
  screen.getByText(/207 closed trades, worth 141 independent ones/);
  screen.getByText(/Whether the edge pays the costs is known\./);
  screen.getByRole("img", { name: "Stated confidence and observed win rate" });
  const skill = screen.getByRole("rowheader", { name: /^Brier skill/ }).closest("tr");
  expect(skill?.textContent).toContain("\u22120.35\u22120.56 to \u22120.14");
  screen.getByText("0 is perfect, the levels alone have 0.229");
  for (const { query } of api.requests) {
    if (query.has("model")) expect(query.get("version")).toBe("openai/7");
  }
});

test("how many more trades it takes is said where the edge is not known", async () => {
  open({ edge_bounds: { low: -0.03, high: 0.21 }, more_trades_to_know: 1_234 });
  await screen.findByText(
    /About 1,200 more closed trades until it is known whether the edge pays the costs/,
  );
});

test("each class and timeframe has its figures, of which nothing is claimed", async () => {
  open();
  const table = "Edge, result and skill by class";
  expect(await cellsOf(table, "Crypto")).toEqual([
    "207141 indep.",
    "+9.0+1.3 to +16.7",
    "+1.1",
    "+0.21 R",
    "\u22120.35\u22120.56 to \u22120.14",
    "1,200",
  ]);
  const few = "too few";
  expect(await cellsOf(table, "Forex")).toEqual(["129 indep.", few, few, few, few, few]);
  expect(await cellsOf("Edge, result and skill by timeframe", "4h")).toHaveLength(6);
  screen.getByText(/For exploration: the best of many parts looks good by chance/);
});

test("a model that always waits is judged by what it passed up", async () => {
  const counts = { ...record.counts, decided: 0, wins: 0, losses: 0, waits: 400 };
  open({
    counts,
    trades: 0,
    waits: { ...record.waits, judged: 390, total_r: 58.5, expectancy_r: around(0.15, 0.1) },
  });
  await screen.findByText("Waiting was wrong: these trades would have earned money after costs.");
  screen.getByText("Of 400 WAITs; 1 not filled");
  screen.getByText("95% interval +0.05 R to +0.25 R");
});

test("an address without an analyst leads to the list of all", async () => {
  open({}, "/analyst?model=gpt-large");
  await screen.findByText("Choose an analyst first");
  screen.getByRole("link", { name: "Go to the performance page" });
});
