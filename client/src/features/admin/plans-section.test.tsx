import { PLANS } from "@shared/contract/plans.ts";
import { fireEvent, screen, waitFor, within } from "@testing-library/react";
import { expect, test } from "vitest";
import { ADMIN } from "../../testing/factories.ts";
import { api } from "../../testing/fake-api.ts";
import { openApp, openPart } from "../../testing/open-app.tsx";
import { PlansSection } from "./plans-section.tsx";

const offered = (pro: object = {}) => ({
  plans: PLANS.map(({ monthlyUsd, imageCredits, ...plan }) => ({
    ...plan,
    monthly_usd: monthlyUsd,
    image_credits: imageCredits,
    ...(plan.id === "pro" && pro),
  })),
});

test("an administrator changes what a plan costs and contains", async () => {
  api.reply("GET /plans", offered());
  const { user } = openPart(<PlansSection />, ADMIN, "/admin/payments");
  const form = within(await screen.findByRole("form", { name: "Pro plan" }));
  const save = form.getByRole("button", { name: "Save plan" });
  expect(save.hasAttribute("disabled")).toBe(true);
  fireEvent.change(form.getByLabelText("USD a month"), { target: { value: "1250" } });
  api.reply("PUT /admin/plans/pro", { detail: "The plan is saved." });
  api.reply("GET /plans", offered({ monthly_usd: 1_250 }));
  await user.click(save);
  await waitFor(() => expect(api.bodiesOf("PUT /admin/plans/pro")).toHaveLength(1));
  expect(JSON.parse(api.bodiesOf("PUT /admin/plans/pro")[0] ?? "")).toEqual({
    monthly_usd: 1_250,
    image_credits: 200,
    support: "Priority support",
  });
  await waitFor(() => expect(save.hasAttribute("disabled")).toBe(true));
});

test("what is no number is refused beside its field, without a request", async () => {
  api.reply("GET /plans", offered());
  const { user } = openPart(<PlansSection />, ADMIN, "/admin/payments");
  const form = within(await screen.findByRole("form", { name: "Starter plan" }));
  fireEvent.change(form.getByLabelText("Image credits"), { target: { value: "many" } });
  await user.click(form.getByRole("button", { name: "Save plan" }));
  await form.findByText("Use a whole number from 0 to 100000.");
  expect(api.bodiesOf("PUT /admin/plans/starter")).toEqual([]);
});

test("visitors see the changed plan, with its price on the payment page", async () => {
  api.reply("GET /plans", offered({ monthly_usd: 1_250, support: "A person to call" }));
  const { user } = openApp("/pricing");
  await screen.findByText("$1,250");
  screen.getByText("A person to call");
  await user.click(screen.getByRole("link", { name: "Choose Pro" }));
  await screen.findByText("the Pro plan's $1,250");
});
