import { screen, waitFor, within } from "@testing-library/react";
import { expect, test, vi } from "vitest";
import { ADMIN, makePeriod } from "../../testing/factories.ts";
import { api } from "../../testing/fake-api.ts";
import { overview, serveUsers, subscriptionSummary } from "../../testing/open-admin.tsx";
import { openPart } from "../../testing/open-app.tsx";
import { PaymentsList } from "./payments-list.tsx";

const payment = (id: string, username: string) => ({
  ...makePeriod({ plan: "pro", months: 2, price_usd: 300 }),
  id,
  username,
  accepted_at: "2026-11-20T12:00:00.000Z",
  by: "root",
});

const page = {
  payments: [payment("1", "ann")],
  next_cursor: "1_0123456789abcdef01234567",
  total: 2,
  months: [
    { month: "2026-11", payments: 1, revenue_usd: 300 },
    { month: "2026-10", payments: 1, revenue_usd: 50 },
  ],
};

function openPayments(search = "") {
  serveUsers([]);
  api.reply("GET /admin/overview", overview);
  api.reply("GET /admin/subscriptions", subscriptionSummary);
  return openPart(<PaymentsList />, ADMIN, `/admin/payments${search}`);
}

const lastQuery = (route = "GET /admin/payments") =>
  Object.fromEntries(api.requests.filter((request) => request.route === route).at(-1)?.query ?? []);

test("payments are listed page by page, with the totals of each month", async () => {
  api.reply("GET /admin/payments", ({ query }) =>
    query.has("cursor") ? { ...page, payments: [payment("2", "bob")], next_cursor: null } : page,
  );
  const { user } = openPayments();
  const table = await screen.findByRole("table", { name: "Payments" });
  const row = within(table).getByRole("row", { name: /ann/ });
  expect(row.textContent).toContain("Pro, 2 months$300");
  const totals = screen.getByRole("region", { name: "Monthly totals" });
  expect(totals.textContent).toContain("2 months$350");
  expect(totals.textContent).toContain("Nov 2026$3001 payment");
  screen.getByText("1 of 2");
  await user.click(screen.getByRole("button", { name: "Show more payments" }));
  await within(table).findByText("bob");
  const link = within(table).getByRole("link", { name: "bob" });
  expect(link.getAttribute("href")).toBe("/admin/users?user=bob");
});

test("a proof is not read before it is opened", async () => {
  const proof = {
    sender_name: "Jane Miller",
    submitted_at: "2026-11-20T12:00:00.000Z",
    url: "/files/proof.png",
  };
  api.reply("GET /admin/payments", { ...page, payments: [{ ...payment("1", "ann"), proof }] });
  const { user } = openPayments();
  const table = await screen.findByRole("table", { name: "Payments" });
  expect(table.querySelector("img")).toBeNull();
  await user.click(within(table).getByRole("button", { name: /^Enlarge: Proof from Jane Miller/ }));
  const dialog = within(await screen.findByRole("dialog"));
  expect(dialog.getByRole("img").getAttribute("src")).toBe(proof.url);
});

test("a filter is in the address, and the export is of what it selects", async () => {
  api.reply("GET /admin/payments", page);
  const saved = vi.spyOn(URL, "createObjectURL").mockReturnValue("blob:csv");
  vi.spyOn(URL, "revokeObjectURL").mockReturnValue();
  const { user, address } = openPayments("?plan=gold&from=2026-10-01&to=2026-10-31");
  await screen.findByRole("table", { name: "Payments" });
  const period = { from: "2026-10-01T00:00:00.000Z", to: "2026-11-01T00:00:00.000Z" };
  expect(lastQuery()).toEqual(period);
  await user.selectOptions(screen.getByLabelText("Proof"), "With proof");
  await waitFor(() => expect(lastQuery()).toEqual({ ...period, proof: "with" }));
  await user.type(screen.getByLabelText("Search payments"), "ann{Enter}");
  await waitFor(() => expect(lastQuery()).toEqual({ ...period, proof: "with", search: "ann" }));
  expect(address()).toBe("/admin/payments?search=ann&proof=with&from=2026-10-01&to=2026-10-31");

  const route = "GET /admin/subscriptions/export";
  api.fail(route, { status: 503, code: "unavailable", detail: "Try again soon." });
  await user.click(screen.getByRole("button", { name: "Export CSV" }));
  await screen.findByText("Try again soon.");
  api.replyText(route, "username,plan\r\nann,pro\r\n", "text/csv; charset=utf-8");
  await user.click(screen.getByRole("button", { name: "Export CSV" }));
  await waitFor(() => expect(saved).toHaveBeenCalled());
  const [file] = saved.mock.lastCall ?? [];
  expect(file instanceof Blob && (await file.text())).toBe("username,plan\r\nann,pro\r\n");
  expect(lastQuery(route)).toEqual({ ...period, proof: "with", search: "ann" });
  expect(screen.queryByText("Try again soon.")).toBeNull();

  api.reply("GET /admin/payments", { payments: [], next_cursor: null, total: 0, months: [] });
  await user.click(screen.getByRole("button", { name: "Reset" }));
  await screen.findByText("No payments yet.");
  expect(address()).toBe("/admin/payments");
});

test("payments that cannot be loaded say so, and are loaded again on request", async () => {
  api.fail("GET /admin/payments", { status: 503, code: "unavailable", detail: "Try again soon." });
  const { user } = openPayments();
  await screen.findByText("Failed to load the payments.");
  api.reply("GET /admin/payments", page);
  const list = screen.getByRole("region", { name: "Payments" });
  await user.click(within(list).getByRole("button", { name: "Try again" }));
  await screen.findByRole("table", { name: "Payments" });
});
