import { webPush } from "@shared/contract/channel-kinds/web-push.ts";
import type { Channel, NewChannel } from "@shared/contract/channels.ts";
import { screen, waitFor, within } from "@testing-library/react";
import { beforeEach, expect, test, vi } from "vitest";
import { useNotificationSettings } from "../../../../lib/notifications/notification-settings.ts";
import { api } from "../../../../testing/fake-api.ts";
import { openApp, openPart } from "../../../../testing/open-app.tsx";
import { ChannelsSection } from "../../channels-section.tsx";
import { renewPush, usePushEndpoints } from "./push.ts";

const keys = { p256dh: "B".repeat(87), auth: "A".repeat(22) };

/** The push service and the permission of a browser. */
class FakePush {
  permission: NotificationPermission = "granted";
  endpoint: string | null = null;
  count = 0;

  getSubscription() {
    return Promise.resolve(this.endpoint === null ? null : this.subscription(this.endpoint));
  }

  subscribe() {
    this.endpoint ??= `https://push.example.com/${++this.count}`;
    return Promise.resolve(this.subscription(this.endpoint));
  }

  subscription(endpoint: string) {
    const unsubscribe = () => {
      this.endpoint = null;
      return Promise.resolve(true);
    };
    return { endpoint, unsubscribe, toJSON: () => ({ endpoint, expirationTime: null, keys }) };
  }
}

const endpointOf = (body: string): string =>
  webPush.input.parse(JSON.parse(body)).subscription.endpoint;

let push: FakePush;
let channels: Channel[];

beforeEach(() => {
  push = new FakePush();
  channels = [];
  const ready = Promise.resolve({ pushManager: push });
  const serviceWorker = Object.assign(new EventTarget(), {
    ready,
    getRegistration: () => ready,
  });
  vi.stubGlobal("PushManager", FakePush);
  vi.stubGlobal("isSecureContext", true);
  vi.stubGlobal("Notification", {
    get permission() {
      return push.permission;
    },
    requestPermission: () => Promise.resolve(push.permission),
  });
  Object.defineProperty(navigator, "serviceWorker", { value: serviceWorker, configurable: true });
  useNotificationSettings.setState({ permission: "default" });
  usePushEndpoints.setState({ endpoints: {} });
  api.reply("GET /channels", () => ({ channels }));
  api.reply("GET /push/public-key", { public_key: "key" });
  api.reply("POST /channels", ({ body }) => {
    const { label = "", events = [] }: NewChannel = JSON.parse(body);
    const id = endpointOf(body).split("/").at(-1) ?? "";
    const added: Channel = {
      id: `c${id}`,
      kind: "web-push",
      label,
      events,
      enabled: true,
      min_confidence: 0,
      created_at: "2026-11-20T12:00:00.000Z",
      last_delivery: null,
      disabled_reason: null,
    };
    channels = [...channels, added];
    return added;
  });
  api.replyText("DELETE /channels/c1", "");
  return () => {
    vi.unstubAllGlobals();
    Reflect.deleteProperty(navigator, "serviceWorker");
  };
});

const offer = () => screen.findByRole<HTMLButtonElement>("button", { name: /^Browser push/ });

const openSection = () => openPart(<ChannelsSection />, {});

async function openSubscribed({ user } = openSection()) {
  await user.click(await offer());
  await screen.findByText(/· this browser ·/);
  return user;
}

test("this browser is subscribed once, recognized, and unsubscribed with its channel", async () => {
  const user = await openSubscribed();
  expect(screen.queryByRole("button", { name: /^Browser push/ })).toBeNull();
  expect(push.endpoint).toBe("https://push.example.com/1");
  const [channel] = channels;
  const place = screen.getByRole("article", { name: channel?.label });
  await user.click(within(place).getByRole("button", { name: "Delete" }));
  channels = [];
  const dialog = await screen.findByRole("alertdialog");
  await user.click(within(dialog).getByRole("button", { name: "Delete" }));
  await offer();
  await waitFor(() => expect(push.endpoint).toBeNull());
});

test("after a logout, this browser gets no pushes until the next login", async () => {
  api.replyText("POST /logout", "");
  const user = await openSubscribed(openApp("/user-panel", {}));
  await user.click((await screen.findAllByRole("button", { name: "Logout" }))[0] ?? document.body);
  await waitFor(() => expect(push.endpoint).toBeNull());
  expect(api.bodiesOf("DELETE /channels/c1")).toEqual([]);
  await renewPush();
  expect(push.endpoint).toBe("https://push.example.com/2");
});

test("a browser that has forgotten its channel gets a new one", async () => {
  api.fail("POST /channels", { status: 409, code: "already-exists", detail: "You have it." });
  push.endpoint = "https://push.example.com/old";
  const { user } = openSection();
  await user.click(await offer());
  await screen.findByText("You have it.");
  const endpoints = api.bodiesOf("POST /channels").map((body): string => {
    return endpointOf(body);
  });
  expect(endpoints).toEqual(["https://push.example.com/old", "https://push.example.com/1"]);
});

test("a refused permission is explained, and one that is blocked cannot be asked for", async () => {
  push.permission = "default";
  const { user } = openSection();
  await user.click(await offer());
  await screen.findByText("Your browser did not allow notifications for this site.");
  push.permission = "denied";
  await user.click(await offer());
  await screen.findByText("Blocked. Allow it in your browser's site settings.");
  expect((await offer()).disabled).toBe(true);
});

test("a browser without push says so", async () => {
  vi.stubGlobal("isSecureContext", false);
  openSection();
  await screen.findByText("Not supported in this browser.");
});

test("a service without push is explained", async () => {
  const detail = "Web push is not set up on this service.";
  api.fail("GET /push/public-key", { status: 422, code: "channel-unavailable", detail });
  const { user } = openSection();
  await user.click(await offer());
  await screen.findByText(detail);
});

test("a subscription that the browser has replaced gets a new channel with the same terms", async () => {
  await openSubscribed();
  await renewPush();
  expect(api.bodiesOf("POST /channels")).toHaveLength(1);
  push.endpoint = null;
  channels = channels.map((channel) => ({ ...channel, label: "Desk", events: ["signal.outcome"] }));
  await renewPush();
  expect(JSON.parse(api.bodiesOf("POST /channels").at(-1) ?? "")).toMatchObject({
    kind: "web-push",
    label: "Desk",
    events: ["signal.outcome"],
    subscription: { endpoint: "https://push.example.com/2" },
  });
  expect(api.bodiesOf("DELETE /channels/c1")).toHaveLength(1);
  expect(usePushEndpoints.getState().endpoints).toEqual({ c2: "https://push.example.com/2" });
});
