import { resetLinkSentMessage } from "@shared/contract/constants.ts";
import { screen, waitFor } from "@testing-library/react";
import { expect, test } from "vitest";
import { api } from "../../testing/fake-api.ts";
import { openApp } from "../../testing/open-app.tsx";

async function requestLink(email: string): Promise<void> {
  const { user } = openApp("/forgot-password");
  await user.type(await screen.findByLabelText("Email"), email);
  await user.click(screen.getByRole("button", { name: "Send reset link" }));
}

test("a requested link is confirmed with the server's sentence", async () => {
  const detail = resetLinkSentMessage("ann@example.com");
  api.reply("POST /forgot-password", { detail });
  await requestLink("ann@example.com");
  await screen.findByText(detail);
});

test("a malformed address is marked before anything is sent", async () => {
  await requestLink("not an address");
  await screen.findByText("Enter a valid email address.");
  expect(screen.getByLabelText("Email").getAttribute("aria-invalid")).toBe("true");
  expect(api.bodiesOf("POST /forgot-password")).toEqual([]);
});

test("a request that fails shows 'Error: ' and the reason", async () => {
  api.drop("POST /forgot-password");
  await requestLink("ann@example.com");
  const alert = await screen.findByRole("alert");
  expect(alert.textContent).toMatch(/^Error: The server cannot be reached/);
});

test("a new password that is short or not repeated is refused before anything is sent", async () => {
  const { user } = openApp("/reset-password?token=any");
  await user.type(await screen.findByLabelText("New password"), "short");
  await user.type(screen.getByLabelText("Confirm new password"), "other");
  await user.click(screen.getByRole("button", { name: "Set new password" }));
  await screen.findByText("New password must be at least 6 characters long.");
  await screen.findByText("New passwords do not match.");
  expect(api.bodiesOf("POST /reset-password")).toEqual([]);
});

test("a reset link without its token says so and leads to a new one", async () => {
  const { user, address } = openApp("/reset-password");
  await screen.findByRole("heading", { name: "This link is incomplete" });
  await user.click(screen.getByRole("link", { name: "Request a new link" }));
  await waitFor(() => expect(address()).toBe("/forgot-password"));
});
