import { screen } from "@testing-library/react";
import { expect, test } from "vitest";
import { api } from "../../testing/fake-api.ts";
import { openApp } from "../../testing/open-app.tsx";

test("the link of an email turns it off only when its button is used", async () => {
  api.drop("POST /unsubscribe");
  const { user } = openApp("/unsubscribe?token=any");
  await screen.findByRole("heading", { name: "Turn these emails off?" });
  expect(api.bodiesOf("POST /unsubscribe")).toEqual([]);
  await user.click(screen.getByRole("button", { name: "Turn them off" }));
  expect((await screen.findByRole("alert")).textContent).toContain("The server cannot be reached.");
  api.reply("POST /unsubscribe", { detail: "You will get no more of these emails." });
  await user.click(screen.getByRole("button", { name: "Turn them off" }));
  await screen.findByRole("heading", { name: "Emails are off" });
});
