import { z } from "zod/mini";
import { plainPrice } from "../src/lib/price-decimals.ts";

// Compiling schemas would need `eval`, which the content policy forbids.
z.config({ jitless: true });

const price = z.nullish(z.number());
/** A channel message. Its data may be cut, so every field is optional. */
const messageSchema = z.object({
  type: z.string(),
  data: z.object({
    signal_id: z.optional(z.string()),
    symbol: z.optional(z.string()),
    timeframe: z.optional(z.string()),
    outcome: z.optional(z.string()),
    price,
    username: z.optional(z.string()),
    days_left: z.optional(z.number()),
    percent: z.optional(z.number()),
    counts: z.optional(z.record(z.string(), z.number())),
    analysis: z.nullish(
      z.object({
        final_signal: z.string(),
        confidence: z.optional(z.number()),
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
export async function showPush({ clients, registration }: PushScope, text: string): Promise<void> {
  const windows = await clients.matchAll({ type: "window" });
  const silent = windows.some(({ visibilityState }) => visibilityState === "visible");
  const { title, body, to } = describePush(text);
  const actions = [
    { action: "open", title: "Open" },
    { action: "dismiss", title: "Dismiss" },
  ];
  const options = {
    body,
    icon: "/icon-192.png",
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
export function describePush(text: string): PushText {
  const message = messageSchema.safeParse(parseJson(text)).data;
  return (message && describe(message)) ?? FALLBACK;
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

function describe({ type, data }: Message): PushText | null {
  const signalPath = data.signal_id ? `/signals/${data.signal_id}` : "/signal-history";
  const market = [data.symbol, data.timeframe].filter(Boolean).join(" ") || "Your signal";
  switch (type) {
    case "signal.completed":
      return { ...describeSignal(data, market), to: signalPath };
    case "signal.filled":
      return { title: `${market}: entry filled`, body: atPrice(data.price), to: signalPath };
    case "signal.entry_left":
      return { title: `${market}: entry missed`, body: atPrice(data.price), to: signalPath };
    case "signal.outcome":
      return { title: `${market}: ${data.outcome ?? "resolved"}`, body: "", to: signalPath };
    case "account.updated":
      return {
        title: "Account updated",
        body: "Open the dashboard for details.",
        to: "/dashboard",
      };
    case "subscription.expiring":
      return {
        title: "Your subscription ends soon",
        body: `${data.days_left ?? "A few"} days left. Renew it to keep your access.`,
        to: "/payment",
      };
    case "proof.submitted":
      return { title: "New proof of payment", body: data.username ?? "", to: "/admin/users" };
    case "user.registered":
      return { title: "New user", body: data.username ?? "", to: "/admin/users" };
    case "budget.reached":
      return {
        title: "AI budget",
        body: `${data.percent ?? "Part of"} % of today's budget is used.`,
        to: "/admin/system",
      };
    case "channel.summary": {
      const total = Object.values(data.counts ?? {}).reduce((sum, count) => sum + count, 0);
      const title = `${total} messages during your quiet hours`;
      return { title, body: "Open the app to see them.", to: "/dashboard" };
    }
    case "channel.test":
      return { title: "Test notification", body: "Push notifications work.", to: "/user-panel" };
    default:
      return null;
  }
}

function describeSignal({ analysis }: Message["data"], market: string): Omit<PushText, "to"> {
  if (!analysis) return { title: `${market}: signal ready`, body: "" };
  const {
    final_signal: signal,
    confidence,
    entry,
    stop_loss: stop,
    take_profit: target,
  } = analysis;
  const certainty = confidence === undefined ? "" : ` (${Math.round(confidence)} %)`;
  const levels = [
    entry != null && `Entry ${plainPrice(entry)}`,
    stop != null && `Stop loss ${plainPrice(stop)}`,
    target != null && `Take profit ${plainPrice(target)}`,
  ];
  return { title: `${signal} ${market}${certainty}`, body: levels.filter(Boolean).join(" · ") };
}

const atPrice = (value: number | null | undefined): string =>
  value == null ? "" : `Price ${plainPrice(value)}`;
