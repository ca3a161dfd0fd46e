import { pushSubscriptionSchema } from "@shared/contract/channel-kinds/web-push.ts";
import {
  type CreatedChannel,
  type NewChannel,
  publicKeySchema,
} from "@shared/contract/channels.ts";
import { z } from "zod";
import { create } from "zustand";
import { createJSONStorage, persist } from "zustand/middleware";
import { api } from "../../../../lib/api/client.ts";
import { hasCode } from "../../../../lib/api/errors.ts";
import { describeBrowser } from "../../../../lib/describe-browser.ts";
import {
  requestPermission,
  useNotificationSettings,
} from "../../../../lib/notifications/notification-settings.ts";
import { queryClient } from "../../../../lib/query-client.ts";
import { browserStorage } from "../../../../lib/session.ts";
import { addChannel, channelsQuery, removeChannel } from "../../api.ts";

const endpointsSchema = z.object({ endpoints: z.record(z.string(), z.string()) });

/** The push subscription that each channel of this browser was added with. The API does not say. */
export const usePushEndpoints = create<z.infer<typeof endpointsSchema>>()(
  persist(() => ({ endpoints: {} }), {
    name: "push-channels",
    storage: createJSONStorage(browserStorage),
    merge: (stored, current) => ({ ...current, ...endpointsSchema.safeParse(stored).data }),
  }),
);

function remember(channelId: string, endpoint: string | null): void {
  const { [channelId]: _before, ...others } = usePushEndpoints.getState().endpoints;
  usePushEndpoints.setState({
    endpoints: endpoint === null ? others : { ...others, [channelId]: endpoint },
  });
}

export const supportsPush = (): boolean =>
  "serviceWorker" in navigator && "PushManager" in window && window.isSecureContext;

const WORKER_TIMEOUT_MS = 10_000;

/** `ready` waits for ever where the service worker could not be installed. */
function pushManager(): Promise<PushManager> {
  const tooLate = new Promise<never>((_resolve, reject) => {
    const problem = new Error("This page is not ready for push yet. Reload it and try again.");
    setTimeout(() => reject(problem), WORKER_TIMEOUT_MS);
  });
  const ready = navigator.serviceWorker.ready.then((worker) => worker.pushManager);
  return Promise.race([ready, tooLate]);
}

/** Asks for the permission if needed. Call it only from a click. */
export async function addPushChannel(): Promise<CreatedChannel> {
  await requestPermission();
  if (useNotificationSettings.getState().permission !== "granted") {
    throw new Error("Your browser did not allow notifications for this site.");
  }
  return addSubscribed({});
}

type Terms = Partial<Pick<NewChannel, "label" | "events" | "min_confidence">>;

async function addSubscribed(terms: Terms): Promise<CreatedChannel> {
  const { public_key: key } = await api({ path: "/push/public-key", schema: publicKeySchema });
  const manager = await pushManager();
  const label = describeBrowser(navigator.userAgent);
  const add = async () => {
    const subscription = await subscribe(manager, key);
    const body = pushSubscriptionSchema.parse(subscription.toJSON());
    const channel = await addChannel({ kind: "web-push", label, ...terms, subscription: body });
    remember(channel.id, subscription.endpoint);
    return channel;
  };
  try {
    return await add();
  } catch (error) {
    if (!hasCode(error, "already-exists")) throw error;
    // Its channel is one of the list, but this browser has forgotten which.
    await unsubscribe(manager);
    return add();
  }
}

async function subscribe(manager: PushManager, key: string): Promise<PushSubscription> {
  const options = { userVisibleOnly: true, applicationServerKey: key };
  try {
    return await manager.subscribe(options);
  } catch {
    // The service may have a new key since this browser subscribed.
    await unsubscribe(manager);
  }
  return manager.subscribe(options).catch((cause: unknown) => {
    throw new Error("Your browser could not register for push. Try again later.", { cause });
  });
}

const unsubscribe = async (manager: PushManager): Promise<void> =>
  void (await (await manager.getSubscription())?.unsubscribe());

/** @throws ApiError; then the channel and the subscription are as before */
export async function removePushChannel(id: string): Promise<void> {
  await removeChannel({ id });
  if (usePushEndpoints.getState().endpoints[id] === undefined) return;
  remember(id, null);
  await unsubscribe(await pushManager());
}

/** Adds this browser's channel again if the browser has replaced or dropped its subscription. */
export async function renewPush(): Promise<void> {
  const { endpoints } = usePushEndpoints.getState();
  if (!supportsPush() || Notification.permission !== "granted") return;
  const { channels } = await queryClient.fetchQuery(channelsQuery);
  const own = channels.find(({ id }) => endpoints[id] !== undefined);
  if (!own || !(own.enabled || own.disabled_reason === "gone")) return;
  const subscription = await (await pushManager()).getSubscription();
  if (own.enabled && subscription?.endpoint === endpoints[own.id]) return;
  const { label, events, min_confidence } = own;
  await addSubscribed({ label, events, min_confidence });
  await removeChannel(own);
  remember(own.id, null);
}
