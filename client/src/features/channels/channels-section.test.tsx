import type { Channel, Delivery, NewChannel } from "@shared/contract/channels.ts";
import { act, screen, waitFor, within } from "@testing-library/react";
import { expect, test } from "vitest";
import { notifyListeners } from "../../lib/realtime/events.ts";
import { ADMIN } from "../../testing/factories.ts";
import { api } from "../../testing/fake-api.ts";
import { openApp, openPart } from "../../testing/open-app.tsx";
import { ChannelsSection } from "./channels-section.tsx";

const at = "2026-11-20T12:00:00.000Z";

const makeChannel = (change: Partial<Channel> = {}): Channel => ({
  id: "c1",
  kind: "webhook",
  label: "hooks.example.com",
  enabled: true,
  events: ["signal.completed", "signal.outcome"],
  min_confidence: 0,
  created_at: at,
  last_delivery: null,
  disabled_reason: null,
  ...change,
});

const makeDelivery = (change: Partial<Delivery> = {}): Delivery => ({
  id: "d1",
  event: "channel.test",
  at,
  status: "delivered",
  attempts: 1,
  response_status: 200,
  error: null,
  next_attempt_at: null,
  ...change,
});

async function openList(channels: Channel[], account = {}) {
  api.reply("GET /channels", () => ({ channels }));
  const { user } = openPart(<ChannelsSection />, account, "/user-panel");
  await screen.findByRole("heading", { name: "Add a channel" });
  const press = async (name: string, place?: HTMLElement) =>
    user.click(await within(place ?? document.body).findByRole("button", { name }));
  return { user, press };
}

const item = (label: string) => screen.findByRole("article", { name: label });
const lastBody = (route: string): unknown => JSON.parse(api.bodiesOf(route).at(-1) ?? "null");

const states: [Partial<Channel>, RegExp][] = [
  [{}, /^hooks\.example\.comWebhook · 2 eventsNo messages yet/],
  [
    { label: "gone.example.com", enabled: false, disabled_reason: "gone" },
    /Turned off: the receiver refused messages/,
  ],
  [
    { kind: "discord", label: "Discord …6789", enabled: false, disabled_reason: "gone" },
    /^Discord …6789Turned off: its webhook was deleted in DiscordDiscord · 2 events/,
  ],
  [
    { kind: "email", label: "Email", enabled: false, disabled_reason: "unsubscribed" },
    /EmailTurned off with the link in an email2 events/,
  ],
  [
    { label: "old.example.com", enabled: false, disabled_reason: "password-changed" },
    /Turned off when your password was changed\. Turn it on if it is yours/,
  ],
  [
    { label: "few.example.com", min_confidence: 70, last_delivery: { at, status: "failed" } },
    /2 events, signals from 70%Last message .*: failed/,
  ],
  [
    { kind: "telegram", label: "Telegram", enabled: false, linked: false },
    /^TelegramWaiting for Telegram/,
  ],
];

test("each channel says what it sends, what came of its last message, and why it is off", async () => {
  await openList(states.map(([change], index) => makeChannel({ id: String(index), ...change })));
  for (const [{ label = "hooks.example.com" }, text] of states) {
    expect((await item(label)).textContent).toMatch(text);
  }
});

test("a webhook is added with its secret, which is shown once and can be replaced", async () => {
  const channels: Channel[] = [];
  const { user, press } = await openList(channels);
  api.reply("POST /channels", ({ body }) => {
    const { kind }: NewChannel = JSON.parse(body);
    channels.push(makeChannel({ kind }));
    return { ...channels[0], secret: "whsec_one" };
  });
  await press("Webhook Signed requests to your own server");
  await user.type(screen.getByRole("textbox", { name: "URL" }), "https://hooks.example.com/x");
  await press("Add webhook");
  await screen.findByText("whsec_one");
  expect(lastBody("POST /channels")).toMatchObject({
    kind: "webhook",
    url: "https://hooks.example.com/x",
  });
  await press("I have saved it");
  expect(screen.queryByText("whsec_one")).toBeNull();
  const rotated = { secret: "whsec_two", previous_until: at };
  api.reply("POST /channels/c1/rotate-secret", rotated);
  await press("Settings");
  await press("Replace secret");
  await press("Replace secret", await screen.findByRole("alertdialog"));
  await screen.findByText("whsec_two");
  screen.getByText(/The old secret also signs until 20 Nov 2026/);
});

test("Discord is added with the address of a webhook, which is not shown again", async () => {
  const channels: Channel[] = [];
  const { user, press } = await openList(channels);
  api.reply("POST /channels", () => {
    channels.push(makeChannel({ kind: "discord", label: "Discord …6789" }));
    return channels[0] ?? {};
  });
  await press("Discord To a channel of a server");
  await press("Add Discord");
  await screen.findByText("Enter a URL.");
  const url = "https://discord.com/api/webhooks/123/the-token";
  await user.type(screen.getByRole("textbox", { name: "URL" }), url);
  await press("Add Discord");
  await item("Discord …6789");
  expect(lastBody("POST /channels")).toEqual({ kind: "discord", url });
  expect(document.body.textContent).not.toContain("the-token");
});

test("a channel that cannot be added says why, a refused address beside its field", async () => {
  const { user, press } = await openList([]);
  const detail = "Telegram is not set up on this service.";
  api.fail("POST /channels", { status: 422, code: "channel-unavailable", detail });
  await press("Telegram A message from our bot");
  await screen.findByText(detail);
  api.fail("POST /channels", {
    status: 403,
    code: "email-not-verified",
    detail: "Verify your email address first.",
  });
  await press("Email To ann@example.com");
  await screen.findByText("Your email address is not verified");
  const message = "This address is not public.";
  const errors = [{ field: "url", message }];
  api.fail("POST /channels", { status: 422, code: "invalid-input", detail: message, errors });
  await press("Webhook Signed requests to your own server");
  await user.type(screen.getByRole("textbox", { name: "URL" }), "https://10.0.0.1{Enter}");
  await screen.findByText(message);
});

test("Telegram waits with a link and a QR code until the code has arrived", async () => {
  let channels: Channel[] = [];
  api.reply("GET /channels", () => ({ channels }));
  const { user } = openPart(<ChannelsSection />, {});
  const waiting = makeChannel({
    id: "t",
    kind: "telegram",
    label: "Telegram",
    enabled: false,
    linked: false,
    created_at: new Date().toISOString(),
  });
  api.reply("POST /channels", () => {
    channels = [waiting];
    return { ...waiting, link: "https://t.me/bot?start=code" };
  });
  await user.click(await screen.findByRole("button", { name: "Telegram A message from our bot" }));
  const link = await screen.findByRole("link", { name: "Open Telegram" });
  expect(link.getAttribute("href")).toBe("https://t.me/bot?start=code");
  screen.getByRole("img", { name: "QR code with the link to Telegram" });
  expect(screen.getByText(/^Expires in/).textContent).toMatch(/9:5\d|10:00/);
  channels = [{ ...waiting, enabled: true, linked: true }];
  await screen.findByRole("switch", { name: "Send to Telegram" });
  expect(screen.queryByRole("link", { name: "Open Telegram" })).toBeNull();
});

test("a Telegram link that has expired is replaced", async () => {
  const old = makeChannel({ kind: "telegram", label: "Telegram", enabled: false, linked: false });
  const { press } = await openList([old]);
  api.replyText("DELETE /channels/c1", "");
  api.reply("POST /channels", {
    ...old,
    id: "c2",
    created_at: new Date().toISOString(),
    link: "https://t.me/bot?start=2",
  });
  await press("Get a new link");
  await waitFor(() => expect(api.bodiesOf("DELETE /channels/c1")).toHaveLength(1));
  await waitFor(() => expect(api.bodiesOf("POST /channels")).toHaveLength(1));
});

test("events, minimum confidence and name are changed; administrators choose among theirs too", async () => {
  const { user, press } = await openList([makeChannel()], ADMIN);
  const place = await item("hooks.example.com");
  await press("Settings", place);
  const confidence = screen.getByRole("textbox", { name: "Minimum confidence of signals (%)" });
  await user.clear(confidence);
  await user.type(confidence, "101");
  await press("Save", place);
  await screen.findByText("Enter a confidence from 0 to 100.");
  await user.clear(confidence);
  await user.type(confidence, "65");
  await user.click(screen.getByRole("checkbox", { name: "A signal is ready" }));
  await user.click(screen.getByRole("checkbox", { name: "A user sends a payment proof" }));
  api.reply("PATCH /channels/c1", makeChannel({ min_confidence: 65 }));
  await press("Save", place);
  await waitFor(() => expect(screen.queryByRole("form", { name: /^Settings/ })).toBeNull());
  expect(lastBody("PATCH /channels/c1")).toEqual({
    label: "hooks.example.com",
    min_confidence: 65,
    events: ["signal.outcome", "proof.submitted"],
  });
});

test("traders are not offered the events of administrators", async () => {
  const { press } = await openList([makeChannel()]);
  await press("Settings");
  expect(screen.getAllByRole("checkbox")).toHaveLength(6);
});

test("a test message appears in the log with its result, page by page, and is sent again", async () => {
  const { press } = await openList([makeChannel()]);
  let sent = [makeDelivery({ status: "retrying", attempts: 0, response_status: null })];
  api.reply("POST /channels/c1/test", sent[0] ?? {});
  api.reply("GET /channels/c1/deliveries", ({ query }) =>
    query.get("cursor") === "7"
      ? { deliveries: [makeDelivery({ id: "d0", event: "account.updated" })], next_cursor: null }
      : { deliveries: sent, next_cursor: "7" },
  );
  await press("Test");
  const log = await screen.findByRole("list", { name: "Deliveries to hooks.example.com" });
  within(log).getByText("Being sent");
  const next_attempt_at = new Date(Date.now() + 5_000).toISOString();
  sent = [
    makeDelivery({ status: "retrying", response_status: 500, error: "timeout", next_attempt_at }),
  ];
  await within(log).findByText("Retrying");
  expect(log.textContent).toMatch(/1 attempt · response 500 · timeoutNext attempt/);
  sent = [makeDelivery({ attempts: 2 })];
  await within(log).findByText("Delivered");
  await press("Load more");
  await within(log).findByText("Your account changes");
  api.reply("POST /channels/c1/deliveries/d0/resend", makeDelivery({ id: "d0" }));
  await press("Send again: Your account changes", log);
  await waitFor(() =>
    expect(api.bodiesOf("POST /channels/c1/deliveries/d0/resend")).toHaveLength(1),
  );
});

test("a channel is turned off, deleted after a question, and shown as turned off by an event", async () => {
  const channels = [makeChannel()];
  const { user, press } = await openList(channels);
  api.reply("PATCH /channels/c1", makeChannel({ enabled: false }));
  const place = await item("hooks.example.com");
  await user.click(within(place).getByRole("switch", { name: "Send to hooks.example.com" }));
  await waitFor(() => expect(lastBody("PATCH /channels/c1")).toEqual({ enabled: false }));
  channels[0] = makeChannel({ enabled: false, disabled_reason: "gone" });
  const data = { channel_id: "c1", kind: "webhook", reason: "gone" } as const;
  act(() => notifyListeners({ stream: "user", seq: 1, at, name: "channel:disabled", data }));
  await within(place).findByText("Turned off: the receiver refused messages");
  await screen.findByText("Webhook was turned off");
  api.replyText("DELETE /channels/c1", "");
  await press("Delete", place);
  channels.pop();
  await press("Delete", await screen.findByRole("alertdialog"));
  await waitFor(() => expect(screen.queryByRole("article")).toBeNull());
});

test("with ten channels, no more are offered", async () => {
  const channels = Array.from({ length: 10 }, (_, index) => makeChannel({ id: String(index) }));
  api.reply("GET /channels", { channels });
  openPart(<ChannelsSection />, {});
  await screen.findByText(/^You have reached the limit of 10 channels/);
  expect(screen.queryByRole("heading", { name: "Add a channel" })).toBeNull();
});

test("passing on is off, and turned on by a switch", async () => {
  let saved: object = { pass_on: false };
  api.reply("PUT /me/delivery-settings", ({ body }) => {
    saved = JSON.parse(body);
    return saved;
  });
  const { user } = await openList([]);
  const toggle = await screen.findByRole("switch", { name: "Use the next channel" });
  expect(toggle).toHaveProperty("ariaChecked", "false");
  await user.click(toggle);
  await waitFor(() => expect(toggle).toHaveProperty("ariaChecked", "true"));
  expect(saved).toEqual({ pass_on: true });
});

test("the deliveries say where a message was passed on to, and from", async () => {
  const { press } = await openList([makeChannel()]);
  const deliveries = [
    makeDelivery({ status: "retrying", attempts: 3, passed_on_to: "Email" }),
    makeDelivery({ id: "d2", passed_on_from: "Telegram" }),
  ];
  api.reply("GET /channels/c1/deliveries", { deliveries, next_cursor: null });
  await press("Deliveries");
  await screen.findByText(/3 attempts · response 200 · passed on to Email/);
  screen.getByText(/in place of Telegram · 1 attempt/);
});

test("quiet hours are saved with a time zone, and turned off", async () => {
  const { user, press } = await openList([]);
  let saved: object = { quiet_hours: null };
  api.reply("PUT /me/quiet-hours", ({ body }) => {
    saved = JSON.parse(body);
    return saved;
  });
  await user.click(await screen.findByRole("switch", { name: "Quiet hours" }));
  await user.selectOptions(screen.getByRole("combobox", { name: "Time zone" }), "Europe/Berlin");
  await press("Save");
  await screen.findByText("Quiet hours saved");
  expect(saved).toEqual({
    quiet_hours: { start: "22:00", end: "07:00", time_zone: "Europe/Berlin" },
  });
  await user.click(screen.getByRole("switch", { name: "Quiet hours" }));
  await waitFor(() => expect(saved).toEqual({ quiet_hours: null }));
});

test("the dashboard of an approved user without channels mentions them, until it is dismissed", async () => {
  const { user, goTo } = openApp("/dashboard", { approved: true });
  const link = await screen.findByRole("link", { name: "Add a channel" });
  expect(link.getAttribute("href")).toBe("/user-panel#notifications");
  await user.click(screen.getByRole("button", { name: "Dismiss" }));
  await goTo("/contact");
  await goTo("/dashboard");
  await screen.findByRole("heading", { name: "Account Approved" });
  expect(screen.queryByRole("link", { name: "Add a channel" })).toBeNull();
});

test("a webhook is added with a template, whose preview shows the message or what is wrong", async () => {
  const channels: Channel[] = [];
  const { user, press } = await openList(channels);
  api.reply("POST /channels", () => {
    channels.push(makeChannel({ format: "template" }));
    return channels[0] ?? {};
  });
  await press("Webhook Signed requests to your own server");
  await user.type(screen.getByRole("textbox", { name: "URL" }), "https://bridge.example.com/x");
  await user.selectOptions(screen.getByRole("combobox", { name: "Format" }), "Own template");
  screen.getByText(/"text": "BUY BTC\/USDT at 107357\.1"/);
  const field = screen.getByRole("textbox", { name: "Template" });
  await user.clear(field);
  await user.type(field, '{{"a": ');
  screen.getByText("With its fields filled in, this is no JSON.");
  await user.clear(field);
  await user.type(field, '{{"a":1}');
  await press("Add webhook");
  await item("hooks.example.com");
  expect(lastBody("POST /channels")).toEqual({
    kind: "webhook",
    url: "https://bridge.example.com/x",
    format: "template",
    template: '{"a":1}',
  });
});

test("a linked Telegram joins the paid channel by a link of its own", async () => {
  const channel = makeChannel({
    kind: "telegram",
    label: "Telegram",
    linked: true,
    can_join: true,
  });
  const { press } = await openList([channel]);
  const invite_link = "https://t.me/+invite0";
  api.reply("POST /me/telegram-channel", { invite_link, expires_at: at });
  await press("Join the channel");
  const link = await screen.findByRole("link", { name: "Open the channel in Telegram" });
  expect(link.getAttribute("href")).toBe(invite_link);
});

test("a kind that the service is not set up for is not offered", async () => {
  api.reply("GET /channel-kinds", { kinds: ["email", "webhook", "discord"] });
  await openList([]);
  const offers = screen.getByRole("heading", { name: "Add a channel" }).nextElementSibling;
  expect(offers?.textContent).toMatch(/^Email.*Webhook.*Discord/);
  expect(offers?.textContent).not.toContain("Telegram");
  expect(offers?.textContent).not.toContain("Browser push");
});
