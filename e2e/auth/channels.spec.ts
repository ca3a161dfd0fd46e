import { startFakeWebhook } from "@shared/testing/fakes/fake-webhook.ts";
import { expect } from "playwright/test";
import { Webhook } from "standardwebhooks";
import { makeTrader } from "../support/api.ts";
import { PHONE } from "../support/screen-checks.ts";
import { test } from "../support/test.ts";
import { signIn } from "../support/users.ts";

test("a webhook gets signed messages again until it accepts them; once its receiver turns it off, that is reported on every page and tab, without moving it, until it is seen", async ({
  page,
}) => {
  const receiver = await startFakeWebhook();
  const label = new URL(receiver.url).host;
  await signIn(page, await makeTrader({ approved: true }));
  await page.goto("/dashboard");
  await page.getByRole("link", { name: "Add a channel" }).click();
  const section = page.getByRole("region", { name: "Notifications" });
  await expect(section.getByRole("heading", { name: "Notifications" })).toBeInViewport();
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

  const other = await page.context().newPage();
  await other.goto("/dashboard");
  const heading = other.getByRole("heading", { level: 1 });
  const before = await heading.boundingBox();
  receiver.answer({ status: 410 });
  await channel.getByRole("button", { name: "Test", exact: true }).click();
  const text = `${label} was turned off.`;
  const strip = (tab: typeof page) => tab.getByRole("status").getByText(text, { exact: true });
  await expect(strip(other)).toBeVisible({ timeout: 30_000 });
  expect(await heading.boundingBox()).toEqual(before);
  await expect(strip(page)).toBeVisible();
  await other
    .getByRole("navigation", { name: "Main" })
    .getByRole("link", { name: "BOT", exact: true })
    .click();
  await other.setViewportSize(PHONE);
  await expect(strip(other)).toBeVisible();
  const getSignal = other.getByRole("button", { name: "Get Signal" });
  await expect(getSignal).toBeVisible();
  // Between them, it covers neither.
  const [title, shown, button] = await Promise.all(
    [heading, strip(other), getSignal].map((each) => each.boundingBox()),
  );
  expect(shown?.y).toBeGreaterThan((title?.y ?? 0) + (title?.height ?? 0));
  expect(button?.y).toBeGreaterThan((shown?.y ?? 0) + (shown?.height ?? 0));
  await other.getByRole("button", { name: "Hide problems of your channels" }).click();
  await expect(strip(other)).toHaveCount(0);
  await expect(strip(page)).toHaveCount(0);
  await expect(channel).toContainText("Turned off");
  await receiver.close();
});
