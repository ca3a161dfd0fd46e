import { z } from "zod/mini";
import { ACCOUNT_EVENTS, DASHBOARD, plural } from "../../shared/contract/events/account-events.ts";
import { ADMIN_EVENTS } from "../../shared/contract/events/admin-events.ts";
import type { CheckedEntries, Wording } from "../../shared/contract/events/event-entry.ts";
import { SIGNAL_EVENTS } from "../../shared/contract/events/signal-events.ts";
import { plainPrice } from "../../shared/contract/price.ts";

// Compiling schemas would need `eval`, which the content policy forbids.
z.config({ jitless: true });

const text = z.optional(z.string());
const number = z.optional(z.number());
const price = z.nullish(z.number());

/** A channel message. Its data may be cut, so every field is optional. */
const messageSchema = z.object({
  type: z.string(),
  /** Name and logo that the operator has given the product. */
  product: text,
  icon: text,
  data: z.object({
    signal_id: text,
    symbol: text,
    timeframe: text,
    origin: text,
    outcome: text,
    price,
    reason: text,
    role: text,
    allow_image_upload: z.optional(z.boolean()),
    image_credits: number,
    plan: text,
    days_left: number,
    username: text,
    sender_name: text,
    percent: number,
    spent_usd: number,
    budget_usd: number,
    counts: z.optional(z.record(z.string(), z.number())),
    analysis: z.nullish(
      z.object({
        final_signal: z.string(),
        confidence: number,
        calibrated_confidence: price,
        entry: price,
        stop_loss: price,
        take_profit: price,
      }),
    ),
  }),
});
type Message = z.infer<typeof messageSchema>;

interface PushText {
  title: string;
  body: string;
  /** Path of the page about it. */
  to: string;
  icon?: string;
}

/** What of a service worker shows a push. */
interface PushScope {
  clients: {
    matchAll(options: { type: "window" }): Promise<readonly { visibilityState: string }[]>;
  };
  registration: { showNotification(title: string, options: NotificationOptions): Promise<void> };
}

/**
 * Shows a push as a notification, also while the app is in view: iOS ends a subscription after three pushes that show
 * none. Then it makes no sound, because the app shows the event itself.
 */
export async function showPush({ clients, registration }: PushScope, json: string): Promise<void> {
  const windows = await clients.matchAll({ type: "window" });
  const silent = windows.some(({ visibilityState }) => visibilityState === "visible");
  const { title, body, to, icon = "/icon-192.png" } = describePush(json);
  const actions = [
    { action: "open", title: "Open" },
    { action: "dismiss", title: "Dismiss" },
  ];
  const options = {
    body,
    icon,
    badge: "/icon-192.png",
    data: to,
    actions,
    silent,
  };
  await registration.showNotification(title, options);
}

/** Opens the page of a notification, in a tab of the app if there is one. */
export async function openNotification(
  { clients, location }: ServiceWorkerGlobalScope,
  { notification, action }: NotificationEvent,
): Promise<void> {
  notification.close();
  if (action === "dismiss") return;
  const url = new URL(z.catch(z.string(), "/").parse(notification.data), location.origin);
  const [tab] = await clients.matchAll({ type: "window" });
  if (!tab) return void (await clients.openWindow(url));
  await tab.focus();
  await tab.navigate(url);
}

const FALLBACK: PushText = {
  title: "AI Trading Bot",
  body: "Open the app to see what is new.",
  to: "/dashboard",
};

/** Text of a channel message; a general one if it is not understood. */
export function describePush(json: string): PushText {
  const message = messageSchema.safeParse(parseJson(json)).data;
  if (!message) return FALLBACK;
  const { product: title = FALLBACK.title, icon } = message;
  return { ...(describe(message) ?? { ...FALLBACK, title }), ...(icon && { icon }) };
}

function parseJson(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch {
    return null;
  }
}

/** The entries of the table of events that channels get, without those that would bring schemas with them. */
const EVENTS = { ...SIGNAL_EVENTS, ...ACCOUNT_EVENTS, ...ADMIN_EVENTS };
const CHECKED: CheckedEntries = EVENTS;
const NAMES = new Map<string, string>(
  Object.entries(EVENTS).flatMap(([name, entry]) =>
    "channel" in entry ? [[entry.channel.event, name] as const] : [],
  ),
);

const WORDING: Wording = {
  price: plainPrice,
  usd: (amount) => `$${amount.toFixed(2)}`,
  unknownSignal: "your signal",
};

function describe({ type, data }: Message): PushText | null {
  if (type === "channel.test") {
    return { title: "Test notification", body: "Push notifications work.", to: "/user-panel" };
  }
  if (type === "channel.summary") {
    const total = Object.values(data.counts ?? {}).reduce((sum, count) => sum + count, 0);
    const title = `${plural(total, "message")} from your quiet hours`;
    return { title, body: "Open the app to see them.", to: DASHBOARD.path };
  }
  const said = CHECKED[NAMES.get(type) ?? ""]?.describe?.(data, WORDING);
  if (!said) return null;
  return {
    title: said.title,
    body: [...levelsOf(data), said.text].filter(Boolean).join(" · "),
    to: said.path,
  };
}

function levelsOf({ analysis }: Message["data"]): (string | false)[] {
  if (!analysis) return [];
  const { entry, stop_loss: stop, take_profit: target } = analysis;
  return [
    entry != null && `Entry ${plainPrice(entry)}`,
    stop != null && `Stop loss ${plainPrice(stop)}`,
    target != null && `Take profit ${plainPrice(target)}`,
  ];
}
