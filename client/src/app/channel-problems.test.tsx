import type { UnseenProblem } from "@shared/contract/channel-problem.ts";
import { act, screen, waitFor } from "@testing-library/react";
import { expect, test } from "vitest";
import { notifyListeners } from "../lib/realtime/events.ts";
import { api } from "../testing/fake-api.ts";
import { openApp } from "../testing/open-app.tsx";

const envelope = { stream: "user", seq: 2, at: "2026-11-20T12:00:02.000Z" } as const;

const problem = (change: Partial<UnseenProblem> = {}): UnseenProblem => ({
  channel_id: "c1",
  label: "hooks.example.com",
  reason: "not-delivered",
  at: "2026-11-20T12:00:00.000Z",
  ...change,
});

const reply = (...channel_problems: UnseenProblem[]) =>
  api.reply("GET /me/notifications", { notifications: [], seen: { user: 2 }, channel_problems });

test.each([
  ["hooks.example.com: a message could not be delivered.", [problem()]],
  ["hooks.example.com was turned off.", [problem({ reason: "gone" })]],
  ["2 channels failed or were turned off.", [problem(), problem({ channel_id: "c2" })]],
])("%s", async (text, problems) => {
  reply(...problems);
  openApp("/dashboard", {});
  await screen.findByText(text);
});

test("a problem is shown as it happens, on every page, until it is hidden", async () => {
  api.replyText("POST /me/channel-problems/seen", "");
  const { user, goTo } = openApp("/dashboard", {});
  await screen.findByRole("heading", { level: 1 });
  expect(screen.queryByText(/could not be delivered/)).toBeNull();
  reply(problem());
  const data = { channel_id: "c1", kind: "webhook" } as const;
  act(() => notifyListeners({ ...envelope, name: "channel:failing", data }));
  await screen.findByText(/could not be delivered/);
  await goTo("/payments");
  screen.getByText(/could not be delivered/);
  await user.click(screen.getByRole("button", { name: "Hide problems of your channels" }));
  expect(screen.queryByText(/could not be delivered/)).toBeNull();
  await waitFor(() =>
    expect(api.bodiesOf("POST /me/channel-problems/seen")).toEqual([
      JSON.stringify({ until: problem().at }),
    ]),
  );
});

test("a problem that another tab has hidden goes, a later one stays", async () => {
  const later = problem({ channel_id: "c2", label: "Phone", at: "2026-11-20T12:00:01.000Z" });
  reply(later, problem());
  openApp("/dashboard", {});
  await screen.findByText("2 channels failed or were turned off.");
  const data = { until: problem().at };
  act(() => notifyListeners({ ...envelope, name: "channel-problems:seen", data }));
  await screen.findByText("Phone: a message could not be delivered.");
});
