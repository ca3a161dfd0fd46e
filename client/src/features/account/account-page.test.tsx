import { act, screen, waitFor } from "@testing-library/react";
import { expect, test } from "vitest";
import { refetch } from "../../lib/query-client.ts";
import { makeMe } from "../../testing/factories.ts";
import { api } from "../../testing/fake-api.ts";
import { openApp, openPart } from "../../testing/open-app.tsx";
import { AccountPage } from "./account-page.tsx";

async function changePassword(
  user: ReturnType<typeof openApp>["user"],
  form: { current: string; next: string; confirmation?: string },
): Promise<void> {
  const fields = {
    "Current password": form.current,
    "New password": form.next,
    "Confirm new password": form.confirmation ?? form.next,
  };
  for (const [label, text] of Object.entries(fields)) {
    const field = await screen.findByLabelText(label);
    await user.clear(field);
    await user.type(field, text);
  }
  await user.click(screen.getByRole("button", { name: "Change password" }));
}

test("the dashboard leads to the user panel, which refuses a short or unrepeated password", async () => {
  const { user, address } = openApp("/dashboard", {});
  await user.click(await screen.findByRole("link", { name: "Account settings" }));
  await waitFor(() => expect(address()).toBe("/user-panel"));
  await changePassword(user, { current: "secret-123", next: "abcdef", confirmation: "abcdeg" });
  await screen.findByText("New passwords do not match.");
  await changePassword(user, { current: "secret-123", next: "abc" });
  await screen.findByText("New password must be at least 6 characters long.");
  expect(api.bodiesOf("POST /change-password")).toEqual([]);
});

test("a refused current password is reported", async () => {
  api.fail("POST /change-password", {
    status: 403,
    detail: "Failed to change password. Please check your current password.",
    code: "wrong-password",
  });
  const { user } = openPart(<AccountPage />, {});
  await changePassword(user, { current: "not this", next: "another-456" });
  expect((await screen.findByRole("alert")).textContent).toBe(
    "Failed to change password. Please check your current password.",
  );
});

test("a change that does not reach the server says that it failed, and why", async () => {
  api.drop("POST /change-password");
  const { user } = openPart(<AccountPage />, {});
  await changePassword(user, { current: "secret-123", next: "another-456" });
  const alert = await screen.findByRole("alert");
  expect(alert.textContent).toContain(
    "Failed to change password. Please check your current password.",
  );
  expect(alert.textContent).toContain("The server cannot be reached.");
});

test("the account is read again after events were lost", async () => {
  openPart(<AccountPage />, { email_verified: false });
  await screen.findByText("Not verified yet");
  api.reply("GET /me", makeMe({ email_verified: true }));
  act(() => void refetch());
  await screen.findByText("Verified");
});
