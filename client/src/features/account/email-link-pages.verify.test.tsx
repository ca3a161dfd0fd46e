import { screen } from "@testing-library/react";
import { expect, test } from "vitest";
import { api } from "../../testing/fake-api.ts";
import { openApp } from "../../testing/open-app.tsx";

test("an address that an outage left unconfirmed is confirmed by trying again", async () => {
  api.drop("POST /verify-email");
  const { user } = openApp("/verify-email?token=any");
  const alert = await screen.findByRole("alert");
  expect(alert.textContent).toContain("The server cannot be reached.");
  api.reply("POST /verify-email", { detail: "Verified." });
  await user.click(screen.getByRole("button", { name: "Try again" }));
  await screen.findByRole("heading", { name: "Email verified" });
});

test("the owner of an address deletes the account that another person registered with it", async () => {
  api.drop("POST /decline-registration");
  const { user } = openApp("/verify-email?token=any&decline");
  await user.click(await screen.findByRole("button", { name: "Delete the account" }));
  expect((await screen.findByRole("alert")).textContent).toContain("The server cannot be reached.");
  api.reply("POST /decline-registration", { detail: "The account is deleted." });
  await user.click(screen.getByRole("button", { name: "Delete the account" }));
  await screen.findByRole("heading", { name: "Account deleted" });
  expect(api.bodiesOf("POST /verify-email")).toEqual([]);
});
