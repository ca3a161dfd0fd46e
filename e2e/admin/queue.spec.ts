import { expect } from "playwright/test";
import { newAdminSession } from "../support/api.ts";
import { test } from "../support/test.ts";
import { openLive, signIn } from "../support/users.ts";

/** What Agendash logs when its event stream breaks or ends. */
const streamEnded = /^SSE connection error:/;

// The browser itself logs that it is refused in the end. Within 3 s of a logout the server ends the event stream, which
// may be before the reload.
test.use({ expectsFailures: true, expectedMessage: streamEnded });

test("the page of the queue is opened by an administrator from the health screen, until they log out", async ({
  page,
}) => {
  await signIn(page, await newAdminSession());
  await openLive(page, "/admin/system");
  const popup = page.waitForEvent("popup");
  await page.getByRole("button", { name: "Open the queue" }).click();
  const queue = await popup;
  const messages: string[] = [];
  queue.on("console", (message) => messages.push(message.text()));
  await expect(queue).toHaveURL(/\/admin\/queue\/$/);
  const job = queue.getByRole("row").filter({ hasText: "sweep-signals" });
  await expect(job).toHaveCount(1);
  expect(messages.filter((text) => streamEnded.test(text))).toEqual([]);
  const left = page.waitForResponse("**/logout");
  await page.getByRole("button", { name: "Logout" }).click();
  expect((await left).status()).toBe(204);
  await queue.reload();
  await expect(queue.getByText("Open it from the admin page.")).toBeVisible();
});
