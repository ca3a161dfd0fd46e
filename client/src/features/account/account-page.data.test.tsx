import { screen, waitFor, within } from "@testing-library/react";
import { describe, expect, test, vi } from "vitest";
import { api } from "../../testing/fake-api.ts";
import { openApp } from "../../testing/open-app.tsx";

describe("the own data", () => {
  test("can be downloaded as a file, and a failure is shown", async () => {
    const saved = vi.spyOn(URL, "createObjectURL").mockReturnValue("blob:data");
    vi.spyOn(URL, "revokeObjectURL").mockReturnValue();
    api.fail("GET /me/data", { status: 503, code: "unavailable", detail: "Try again soon." });
    const { user } = openApp("/user-panel", {});
    await user.click(await screen.findByRole("button", { name: "Download my data" }));
    await screen.findByText("Try again soon.");
    api.reply("GET /me/data", { account: { username: "ann" } });
    await user.click(screen.getByRole("button", { name: "Download my data" }));
    await waitFor(() => expect(saved).toHaveBeenCalledTimes(1));
    const [file] = saved.mock.calls[0] ?? [];
    const text = file instanceof Blob ? await file.text() : "";
    expect(JSON.parse(text)).toEqual({ account: { username: "ann" } });
  });

  test("is deleted with the account, after the username, the password and the code", async () => {
    api.fail("DELETE /me", {
      status: 403,
      code: "wrong-password",
      detail: "Wrong password or code.",
    });
    const { user, address } = openApp("/user-panel", {
      two_factor: { enabled: true, recovery_codes_left: 10 },
    });
    await user.click(await screen.findByRole("button", { name: "Delete my account" }));
    const dialog = await screen.findByRole("dialog", { name: "Delete your account?" });
    const submit = within(dialog).getByRole("button", { name: "Delete my account" });
    await user.click(submit);
    await within(dialog).findByText("Enter your username.");
    expect(api.bodiesOf("DELETE /me")).toEqual([]);
    await user.type(await within(dialog).findByLabelText("Enter ann to confirm"), "ann");
    await user.type(within(dialog).getByLabelText("Your password"), "secret-123");
    await user.type(within(dialog).getByLabelText("Code of your authenticator app"), "123456");
    await user.click(submit);
    await within(dialog).findByText("Wrong password or code.");
    api.replyText("DELETE /me", "");
    await user.click(submit);
    await screen.findByText("This account has been deleted.");
    expect(address()).toBe("/login");
    expect(api.bodiesOf("DELETE /me").at(-1)).toBe(
      '{"username":"ann","password":"secret-123","code":"123456"}',
    );
    expect(localStorage.getItem("token")).toBeNull();
  });
});
