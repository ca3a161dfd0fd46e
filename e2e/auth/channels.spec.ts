import { startFakeWebhook } from "@shared/testing/fakes/fake-webhook.ts";
import { expect } from "playwright/test";
import { Webhook } from "standardwebhooks";
import { makeTrader } from "../support/api.ts";
import { PHONE } from "../support/screen-checks.ts";
import { test } from "../support/test.ts";
import { confirmAction, signIn } from "../support/users.ts";

test("a webhook is added, receives signed messages, is paused, limited and deleted", async ({
  page,
}) => {
  const receiver = await startFakeWebhook();
  const label = new URL(receiver.url).host;
  await signIn(page, await makeTrader({ approved: true }));
  await page.goto("/dashboard");
  await page.getByRole("link", { name: "Add a channel" }).click();
  const section = page.getByRole("region", { name: "Notifications" });
  await expect(section.getByRole("heading", { name: "Notifications" })).toBeInViewport();
  // The product of these tests has no bot: what it is not set up for is not offered.
  await expect(section.getByRole("button", { name: /^Webhook/ })).toBeVisible();
  await expect(section.getByRole("button", { name: /Telegram/ })).toHaveCount(0);
  await section.getByRole("button", { name: /^Webhook/ }).click();
  await section.getByLabel("URL").fill(`${receiver.url}/signals`);
  await page.keyboard.press("Enter");
  const channel = section.getByRole("article", { name: label });
  const secret = (await channel.getByText(/^whsec_/).textContent()) ?? "";
  await channel.getByRole("button", { name: "I have saved it" }).click();

  receiver.answer({ status: 500 });
  await channel.getByRole("button", { name: "Test" }).click();
  const delivery = channel.getByRole("list").getByRole("listitem");
  await expect(delivery).toContainText("Retrying", { timeout: 30_000 });
  await expect(delivery).toContainText("response 500");
  await expect(delivery).toContainText("Delivered", { timeout: 30_000 });
  await expect(delivery).toContainText("2 attempts");
  const [first, second] = receiver.received;
  expect(second?.id).toBe(first?.id);
  expect(() => new Webhook(secret).verify(second?.body ?? "", second?.headers ?? {})).not.toThrow();

  await channel.getByRole("button", { name: "Settings" }).click();
  await channel.getByLabel("Name").fill("My server");
  await channel.getByLabel("Minimum confidence of signals (%)").fill("70");
  await channel.getByRole("checkbox", { name: "Your account changes" }).uncheck();
  await channel.getByRole("button", { name: "Save", exact: true }).click();
  const renamed = section.getByRole("article", { name: "My server" });
  await expect(renamed).toContainText("3 events, signals from 70%");
  const saved = page.waitForResponse((response) => response.request().method() === "PATCH");
  await renamed.getByRole("switch").click();
  await saved;
  await page.reload();
  await expect(renamed.getByRole("switch")).not.toBeChecked();
  await confirmAction(page, renamed.getByRole("button", { name: "Delete" }));
  await expect(section.getByRole("article")).toHaveCount(0);
  await receiver.close();
});

test("a channel that its receiver turns off is reported on every page and tab, without moving it, until it is seen", async ({
  page,
}) => {
  const receiver = await startFakeWebhook();
  const label = new URL(receiver.url).host;
  await signIn(page, await makeTrader({ approved: true }));
  await page.goto("/user-panel");
  const section = page.getByRole("region", { name: "Notifications" });
  await section.getByRole("button", { name: /^Webhook/ }).click();
  await section.getByLabel("URL").fill(`${receiver.url}/signals`);
  await page.keyboard.press("Enter");
  const channel = section.getByRole("article", { name: label });
  await channel.getByRole("button", { name: "I have saved it" }).click();

  const other = await page.context().newPage();
  await other.goto("/dashboard");
  const heading = other.getByRole("heading", { level: 1 });
  const before = await heading.boundingBox();
  receiver.answer({ status: 410 });
  await channel.getByRole("button", { name: "Test" }).click();
  const text = `${label} was turned off.`;
  const strip = (tab: typeof page) => tab.getByRole("status").getByText(text, { exact: true });
  await expect(strip(other)).toBeVisible({ timeout: 30_000 });
  expect(await heading.boundingBox()).toEqual(before);
  await expect(strip(page)).toBeVisible();
  await other.setViewportSize(PHONE);
  await other.goto("/bot");
  await expect(strip(other)).toBeVisible();
  // Between them, it covers neither.
  const [title, shown, button] = await Promise.all(
    [heading, strip(other), other.getByRole("button", { name: "Get Signal" })].map((each) =>
      each.boundingBox(),
    ),
  );
  expect(shown?.y).toBeGreaterThan((title?.y ?? 0) + (title?.height ?? 0));
  expect(button?.y).toBeGreaterThan((shown?.y ?? 0) + (shown?.height ?? 0));
  await other.getByRole("button", { name: "Hide problems of your channels" }).click();
  await expect(strip(other)).toHaveCount(0);
  await expect(strip(page)).toHaveCount(0);
  await page.reload();
  await expect(section.getByRole("article", { name: label })).toContainText("Turned off");
  await expect(strip(page)).toHaveCount(0);
  await receiver.close();
});
