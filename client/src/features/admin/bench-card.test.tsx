import type { AdminBench } from "@shared/contract/analyst-bench.ts";
import { screen, within } from "@testing-library/react";
import { expect, test } from "vitest";
import { ADMIN } from "../../testing/factories.ts";
import { api } from "../../testing/fake-api.ts";
import { openPart } from "../../testing/open-app.tsx";
import { BenchAdminSection } from "./bench-card.tsx";

const AT = "2026-11-28T07:00:00.000Z";

const arm = (
  id: string,
  more: Partial<AdminBench["arms"][number]>,
): AdminBench["arms"][number] => ({
  ...{ id, label: `Arm ${id}`, analyst: "openai", model: `model-${id}`, version: "openai/1" },
  ...{ is_baseline: false, state: "running", failure: null, last_at: AT, spent_today_usd: 1.5 },
  may_be_analyst: true,
  ...more,
});

const benchWith = (analyst: string | null): AdminBench => ({
  is_configured: true,
  budget_usd_per_day: 5,
  spent_today_usd: 3,
  analyst,
  arms: [
    arm("a", {}),
    arm("b", { state: "failing", failure: "The key is not valid." }),
    arm("c", { state: "budget", may_be_analyst: false }),
  ],
});

function open(analyst: string | null) {
  api.reply("GET /admin/bench", benchWith(analyst));
  return openPart(<BenchAdminSection />, ADMIN, "/admin/system");
}

const rowOf = async (label: string) => {
  const section = await screen.findByRole("region", { name: "Bench of analysts" });
  const row = within(section)
    .getByRole("heading", { name: new RegExp(label) })
    .closest("li");
  return within(row ?? section);
};

test("the administrator sees what the bench has spent, and the state of each arm", async () => {
  open(null);
  await screen.findByText(/^Spent today: \$3\.00 of \$5\.00\.$/);
  (await rowOf("Arm a")).getByText(/^Running/);
  const failing = await rowOf("Arm b");
  failing.getByText(/^Failing/);
  failing.getByText("The key is not valid.");
  const waiting = await rowOf("Arm c");
  waiting.getByText(/^Budget used up until 00:00 UTC/);
  expect(waiting.queryByRole("button", { name: "Make this the analyst" })).toBeNull();
});

test("the administrator makes an arm the analyst, and goes back to that of the settings", async () => {
  const { user } = open(null);
  const chosen: string[] = [];
  api.reply("POST /admin/bench/analyst", ({ body }) => {
    chosen.push(body);
    api.reply("GET /admin/bench", benchWith(chosen.length === 1 ? "a" : null));
    return { detail: "Done." };
  });
  const confirm = async (name: string) => {
    await user.click(await (await rowOf("Arm a")).findByRole("button", { name }));
    const dialog = await screen.findByRole("alertdialog");
    await user.click(within(dialog).getByRole("button", { name }));
  };
  await confirm("Make this the analyst");
  await screen.findByText("is the analyst");
  await confirm("Use that of the settings");
  await (await rowOf("Arm a")).findByRole("button", { name: "Make this the analyst" });
  expect(chosen).toEqual(['{"arm":"a"}', '{"arm":null}']);
});
