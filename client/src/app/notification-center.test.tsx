import type { Notification } from "@shared/contract/events.ts";
import { act, screen, waitFor, within } from "@testing-library/react";
import { beforeEach, expect, test } from "vitest";
import { notifyListeners } from "../lib/realtime/events.ts";
import { useRealtime } from "../lib/realtime/store.ts";
import { ADMIN, makeSignal } from "../testing/factories.ts";
import { api } from "../testing/fake-api.ts";
import { openApp } from "../testing/open-app.tsx";
import { describeNotification } from "./describe-notification.ts";

const at = "2026-11-20T12:00:00.000Z";
const account = {
  approved: true,
  role: "user",
  allow_image_upload: true,
  image_credits: 1,
} as const;
const signal = {
  signal_id: "0123456789abcdef01234567",
  symbol: "BTC/USDT",
  timeframe: "1h",
} as const;
const analysis = { final_signal: "BUY", confidence: 62, calibrated_confidence: null } as const;
const own = (seq: number) => ({ stream: "user", seq, at }) as const;

const result = (seq: number): Notification => ({
  ...own(seq),
  name: "signal:completed",
  data: { ...signal, analysis },
});
const granted = (seq: number): Notification => ({
  ...own(seq),
  name: "account:updated",
  data: { ...account, reason: "credits-granted" },
});

/** What the server has, newest first. */
const keep = (...notifications: Notification[]) =>
  api.reply("GET /me/notifications", () => ({ notifications, seen: lastSeen() ?? null }));

const lastSeen = (): unknown => {
  const body = api.bodiesOf("POST /me/notifications/seen").at(-1);
  return body === undefined ? undefined : JSON.parse(body);
};

beforeEach(() => api.replyText("POST /me/notifications/seen", ""));

/** The bell of a loaded page; the one beside its skeleton goes with it. */
async function bell(unread: number): Promise<HTMLElement> {
  await screen.findByRole("heading", { level: 1 });
  const name = unread > 0 ? `Notifications, ${unread} unread` : "Notifications";
  return screen.findByRole("button", { name });
}

const emit = (seq: number) =>
  act(() =>
    notifyListeners({
      ...own(seq),
      name: "account:updated",
      data: { ...account, reason: "credits-granted" },
    }),
  );

test("what happened before the first visit is read; what comes later is counted until it is opened, also after a reload", async () => {
  keep(result(1));
  const { user } = openApp("/dashboard", { stream_positions: { user: 1 } });
  await bell(0);
  keep(granted(2), result(1));
  emit(2);
  const button = await bell(1);
  await user.click(button);
  const dialog = await screen.findByRole("dialog", { name: "Notifications" });
  const items = await within(dialog).findAllByRole("listitem");
  expect(items.map((item) => item.textContent)).toEqual([
    expect.stringMatching(/^New: Image credits changed.*You have 1 image credit\.$/),
    expect.stringMatching(/^BUY BTC\/USDT.*1h, 62% stated confidence, not yet calibrated$/),
  ]);
  await user.keyboard("{Escape}");
  await waitFor(() => expect(screen.queryByRole("dialog")).toBeNull());
  expect(document.activeElement).toBe(await bell(0));
  await waitFor(() => expect(lastSeen()).toEqual({ user: 2 }));
});

test("what another tab or device has read is no longer counted", async () => {
  const seen = { user: 0 };
  api.reply("GET /me/notifications", { notifications: [granted(2), result(1)], seen });
  openApp("/dashboard", { stream_positions: { user: 2 } });
  await bell(2);
  act(() => notifyListeners({ ...own(3), name: "notifications:seen", data: { user: 1 } }));
  await bell(1);
  act(() => notifyListeners({ ...own(4), name: "notifications:seen", data: { user: 2 } }));
  await bell(0);
});

test("a new administrator starts with what happens from now on", async () => {
  const event = { stream: "admins", seq: 7, at } as const;
  const registered = { ...event, name: "user:registered", data: { username: "bob" } } as const;
  api.reply("GET /me/notifications", { notifications: [registered], seen: { user: 3 } });
  openApp("/dashboard", { ...ADMIN, stream_positions: { user: 3, admins: 7 } });
  await bell(0);
  await waitFor(() => expect(lastSeen()).toEqual({ user: 3, admins: 7 }));
});

test("a signal that its screen shows is not counted", async () => {
  keep();
  api.reply("GET /signal-history", { signals: [], next_cursor: null });
  openApp("/signal-history", { stream_positions: { user: 0 } });
  await bell(0);
  keep(result(1));
  const { name, ...event } = result(1);
  act(() => notifyListeners({ ...event, name: "signal:completed", data: makeSignal() }));
  await waitFor(() => expect(lastSeen()).toEqual({ user: 1 }));
  await bell(0);
});

test.each(["/signal-history"])(
  "what a trade does is not counted where %s shows it",
  async (path) => {
    keep();
    api.reply("GET /signal-history", { signals: [], next_cursor: null });
    openApp(path, { stream_positions: { user: 0 } });
    await bell(0);
    const data = { signal_id: "s1", symbol: "BTC/USDT", timeframe: "1h", price: 113_000 } as const;
    keep({ ...own(1), name: "signal:filled", data: { ...data, filled_at: own(1).at } });
    const { symbol: _symbol, timeframe: _timeframe, ...event } = data;
    act(() =>
      notifyListeners({
        ...own(1),
        name: "signal:filled",
        data: { ...event, filled_at: own(1).at },
      }),
    );
    await waitFor(() => expect(lastSeen()).toEqual({ user: 1 }));
    await bell(0);
  },
);

test("a signal of a watched market is counted on the bot page, with a message", async () => {
  keep();
  openApp("/bot", { stream_positions: { user: 0 } });
  await bell(0);
  await waitFor(() => expect(useRealtime.getState().ready).toBe(true));
  const data = { ...makeSignal(), origin: "watchlist" } as const;
  keep({ ...own(1), name: "signal:completed", data });
  act(() => notifyListeners({ ...own(1), name: "signal:completed", data }));
  await bell(1);
  await screen.findByText("Watched market: SELL BTC/USDT");
  await waitFor(() => expect(lastSeen()).toEqual({ user: 0 }));
});

test("a notification opens its page", async () => {
  keep(result(1));
  const { user, address } = openApp("/dashboard", { stream_positions: { user: 1 } });
  await user.click(await bell(0));
  await user.click(await screen.findByRole("link", { name: /^BUY BTC\/USDT/ }));
  await waitFor(() => expect(address()).toBe(`/signals/${signal.signal_id}`));
  await waitFor(() => expect(screen.queryByRole("dialog")).toBeNull());
});

test("without notifications, and when they cannot be loaded, the list says so", async () => {
  api.fail("GET /me/notifications", { status: 422 });
  const { user } = openApp("/dashboard", ADMIN);
  await user.click(await bell(0));
  await screen.findByText("We couldn't load your notifications.");
  keep();
  await user.click(screen.getByRole("button", { name: "Try again" }));
  await screen.findByText("No notifications");
});

test("visitors have no bell", async () => {
  openApp("/contact");
  await screen.findByRole("heading", { level: 1 });
  expect(screen.queryByRole("button", { name: /^Notifications/ })).toBeNull();
});

const cases: { item: Notification; text: string }[] = [
  {
    item: {
      ...own(1),
      name: "signal:completed",
      data: { ...signal, analysis, origin: "watchlist" },
    },
    text: "Watched market: BUY BTC/USDT: 1h, 62% stated confidence, not yet calibrated",
  },
  {
    item: {
      ...own(1),
      name: "signal:completed",
      data: { ...signal, analysis: { ...analysis, final_signal: "WAIT", confidence: 0 } },
    },
    text: "WAIT BTC/USDT: 1h",
  },
  {
    item: { ...own(1), name: "signal:failed", data: { ...signal, analysis: null } },
    text: "Signal failed: BTC/USDT: 1h",
  },
  {
    item: {
      ...own(1),
      name: "signal:filled",
      data: { ...signal, price: 113_900, filled_at: at },
    },
    text: "Entry filled: BTC/USDT 1h: The trade was entered at 113900.",
  },
  {
    item: {
      ...own(1),
      name: "signal:outcome",
      data: { ...signal, outcome: "WIN", resolved_at: at },
    },
    text: "WIN: BTC/USDT 1h: The trade reached its take profit.",
  },
  {
    item: {
      ...own(1),
      name: "signal:entry-left",
      data: { signal_id: "gone", price: 113_900, at },
    },
    text: "Entry missed: a deleted signal: The price left the entry zone at 113900. Do not enter this trade late.",
  },
  {
    item: { ...own(1), name: "account:updated", data: { ...account, reason: "image-access" } },
    text: "Chart images allowed: You can attach chart images to requests.",
  },
  {
    item: {
      ...own(1),
      name: "subscription:expiring",
      data: { plan: "pro", ends_at: at, days_left: 1 },
    },
    text: "Subscription ends in 1 day: Renew it to keep your access.",
  },
  {
    item: { stream: "admins", seq: 1, at, name: "user:registered", data: { username: "bob" } },
    text: "New registration: bob",
  },
];

test.each(cases)("a notification reads '$text'", ({ item, text: expected }) => {
  const { title = "", text = "" } = describeNotification(item) ?? {};
  expect(`${title}: ${text}`).toBe(expected);
});
