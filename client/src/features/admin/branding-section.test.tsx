import { NO_BRANDING, type StoredBranding } from "@shared/contract/branding.ts";
import { fireEvent, screen, waitFor, within } from "@testing-library/react";
import { expect, test } from "vitest";
import { ADMIN } from "../../testing/factories.ts";
import { api } from "../../testing/fake-api.ts";
import { openApp } from "../../testing/open-app.tsx";

const openBranding = async (stored: Partial<StoredBranding> = {}) => {
  api.reply("GET /admin/branding", { ...NO_BRANDING, logo: null, ...stored });
  const app = openApp("/admin/branding", ADMIN);
  await screen.findByLabelText("Product name");
  return app;
};

const enter = (label: string, value: string) =>
  fireEvent.change(screen.getByLabelText(label), { target: { value } });

const shown = {
  product_name: "Northwind Signals",
  logo: "",
  style: ":root{--color-accent:#ffee00}",
  demo_notice: "A demonstration",
  contact_email: "help@northwind.example",
  contact_whatsapp: "",
  contact_telegram: "",
};

test("what an administrator saves is sent, and shown on the page at once", async () => {
  const { user } = await openBranding();
  const save = screen.getByRole("button", { name: "Save branding" });
  expect(save.hasAttribute("disabled")).toBe(true);
  enter("Product name", "Northwind Signals");
  enter("Contact email", "help@northwind.example");
  enter("Time zone of emails and messages", "Europe/Berlin");
  api.reply("PUT /admin/branding", { detail: "The branding is saved." });
  api.reply("GET /branding", shown);
  await user.click(save);
  await waitFor(() => expect(api.bodiesOf("PUT /admin/branding")).toHaveLength(1));
  expect(JSON.parse(api.bodiesOf("PUT /admin/branding").at(-1) ?? "")).toMatchObject({
    product_name: "Northwind Signals",
    contact_email: "help@northwind.example",
    time_zone: "Europe/Berlin",
  });
  const header = within(screen.getByRole("banner"));
  await waitFor(() => header.getByRole("link", { name: "Northwind Signals" }));
  await screen.findByText("A demonstration");
  await waitFor(() => expect(document.title).toBe("Branding · Northwind Signals"));
  screen.getByText(/Northwind Signals\. All Rights Reserved\./);
});

test("what an administrator enters while it is saved stays, and can be saved as well", async () => {
  const { user } = await openBranding();
  const save = screen.getByRole("button", { name: "Save branding" });
  enter("Telegram", "@northwind");
  enter("WhatsApp", "+49 30 1");
  const sent = { contact_telegram: "@northwind", contact_whatsapp: "+49 30 1" };
  api.reply("PUT /admin/branding", { detail: "The branding is saved." });
  api.reply("GET /branding", shown);
  const release = api.hold("PUT /admin/branding");
  await user.click(save);
  await waitFor(() => expect(api.bodiesOf("PUT /admin/branding")).toHaveLength(1));
  enter("Telegram", "");
  api.reply("GET /admin/branding", { ...NO_BRANDING, logo: null, ...sent });
  release();
  await screen.findByText("The branding is saved.");
  await waitFor(() => expect(save.hasAttribute("disabled")).toBe(false));
  expect(screen.getByLabelText("Telegram")).toHaveProperty("value", "");
  await user.click(save);
  await waitFor(() => expect(api.bodiesOf("PUT /admin/branding")).toHaveLength(2));
  expect(JSON.parse(api.bodiesOf("PUT /admin/branding").at(-1) ?? "")).toMatchObject({
    contact_telegram: "",
    contact_whatsapp: "+49 30 1",
  });
});

test("what an administrator has selected stays selected when it is saved", async () => {
  const { user } = await openBranding();
  enter("Telegram", "@northwind");
  api.reply("PUT /admin/branding", { detail: "The branding is saved." });
  const release = api.hold("PUT /admin/branding");
  await user.click(screen.getByRole("button", { name: "Save branding" }));
  const field = screen.getByLabelText<HTMLInputElement>("Telegram");
  field.setSelectionRange(0, 10);
  const sent = { contact_telegram: "@northwind" };
  api.reply("GET /admin/branding", { ...NO_BRANDING, logo: null, ...sent });
  release();
  await screen.findByText("The branding is saved.");
  await waitFor(() => expect(screen.queryByText("Saving...")).toBeNull());
  expect([field.selectionStart, field.selectionEnd]).toEqual([0, 10]);
});

test("a colour that could not be read is shown as it will be", async () => {
  const { user } = await openBranding();
  enter("Accent colour", "#ffee00");
  const preview = within(await screen.findByRole("list", { name: "Preview of the accent" }));
  preview.getByText("A link, dark");
  preview.getByText(/^A link, light: #[0-9a-f]{6}, to be readable$/);
  enter("Accent colour", "red");
  await user.click(screen.getByRole("button", { name: "Save branding" }));
  await screen.findByText("Use a colour such as #1a5fd0.");
  expect(api.bodiesOf("PUT /admin/branding")).toEqual([]);
});

test("the password is asked for when the server wants it", async () => {
  const { user } = await openBranding();
  api.fail("PUT /admin/branding", {
    status: 403,
    code: "reauthentication-required",
    detail: "Enter your password.",
  });
  enter("WhatsApp", "+15550100199");
  await user.click(screen.getByRole("button", { name: "Save branding" }));
  await user.type(await screen.findByLabelText("Your password"), "secret-123");
  api.reply("PUT /admin/branding", { detail: "The branding is saved." });
  await user.click(screen.getByRole("button", { name: "Save branding" }));
  await screen.findByText("The branding is saved.");
  expect(api.bodiesOf("PUT /admin/branding").at(-1)).toContain('"password":"secret-123"');
});

test("a logo is sent, and can be deleted", async () => {
  const { user } = await openBranding({ logo: "/branding/logo?v=1" });
  expect(screen.getByAltText("The present logo").getAttribute("src")).toContain(
    "/branding/logo?v=1",
  );
  api.reply("POST /admin/branding/logo", { detail: "The logo is saved." });
  const file = new File(["x"], "logo.png", { type: "image/png" });
  await user.upload(screen.getByLabelText(/New logo/), file);
  await user.click(screen.getByRole("button", { name: "Save logo" }));
  await screen.findByText("The logo is saved.");
  api.reply("DELETE /admin/branding/logo", { detail: "The logo is deleted." });
  const remove = screen.getByRole("button", { name: "Delete logo" });
  await waitFor(() => expect(remove.hasAttribute("disabled")).toBe(false));
  await user.click(remove);
  await screen.findByText("The logo is deleted.");
});

test("contacts that are not offered are not on the contact page", async () => {
  api.reply("GET /branding", { ...shown, contact_email: "", contact_telegram: "@northwind" });
  openApp("/contact");
  const telegram = await screen.findByRole("link", { name: /Telegram/ });
  expect(telegram.getAttribute("href")).toBe("https://t.me/northwind");
  expect(screen.queryByRole("link", { name: /Email/ })).toBeNull();
});
