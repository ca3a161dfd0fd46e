import { TELEGRAM_LINK_MINUTES } from "@shared/contract/channel-kinds/telegram.ts";
import {
  type Channel,
  type ChannelChange,
  type ChannelList,
  type CreatedChannel,
  channelListSchema,
  channelSchema,
  createdChannelSchema,
  type Delivery,
  type DeliverySettingsChoice,
  deliveryPageSchema,
  deliverySchema,
  deliverySettingsSchema,
  type NewChannel,
  offeredKindsSchema,
  type QuietHoursSetting,
  quietHoursSettingSchema,
  type RotatedSecret,
  rotatedSecretSchema,
} from "@shared/contract/channels.ts";
import { type ChannelInvite, channelInviteSchema } from "@shared/contract/telegram-channel.ts";
import { queryOptions, useInfiniteQuery, useMutation, useQuery } from "@tanstack/react-query";
import { z } from "zod";
import { api } from "../../lib/api/client.ts";
import { hasCode } from "../../lib/api/errors.ts";
import { patchQueries, queryClient, refetch } from "../../lib/query-client.ts";
import { onLiveEvent } from "../../lib/realtime/events.ts";
import { useRealtime } from "../../lib/realtime/store.ts";

const queryKey = ["channels"];

/** No event reports that Telegram was linked, or how most deliveries went. */
const LINK_POLL_INTERVAL_MS = 3_000;
const DELIVERY_POLL_INTERVAL_MS = 10_000;

export const channelsQuery = queryOptions({
  queryKey,
  queryFn: ({ signal }) => api({ path: "/channels", schema: channelListSchema, signal }),
  refetchInterval: ({ state }) => nextReadMs(state.data?.channels ?? []),
  // Another tab or device may have changed them.
  refetchOnWindowFocus: "always",
});

const useReady = () => useRealtime((live) => live.ready);

export function useChannels() {
  return useQuery({ ...channelsQuery, enabled: useReady() });
}

/** What the service is set up for changes with its restart only. */
export const useOfferedKinds = () =>
  useQuery({
    queryKey: ["channel-kinds"],
    queryFn: ({ signal }) => api({ path: "/channel-kinds", schema: offeredKindsSchema, signal }),
    enabled: useReady(),
    staleTime: Number.POSITIVE_INFINITY,
  });

function nextReadMs(channels: readonly Channel[]): number | false {
  if (channels.some(mayBeLinked)) return LINK_POLL_INTERVAL_MS;
  const isOpen = channels.some(({ last_delivery: last }) => last?.status === "retrying");
  return isOpen && DELIVERY_POLL_INTERVAL_MS;
}

/** When the link of a new Telegram channel expires, in Unix milliseconds. */
export const linkExpiry = ({ created_at }: Pick<Channel, "created_at">): number =>
  Date.parse(created_at) + TELEGRAM_LINK_MINUTES * 60_000;

const mayBeLinked = (channel: Channel): boolean =>
  channel.linked === false && linkExpiry(channel) > Date.now();

export const refetchChannels = (): Promise<void> => refetch({ queryKey, exact: true });

onLiveEvent((event) => {
  if (event.name === "channel:disabled" || event.name === "channel:failing") void refetchChannels();
});

const patchChannels = (change: (channels: Channel[]) => Channel[]): void => {
  queryClient.setQueryData<ChannelList>(queryKey, (list) => {
    return list && { channels: change(list.channels) };
  });
  void refetchChannels();
};

/** With the fields of its kind. */
type ChannelInput = Pick<NewChannel, "kind"> & Partial<NewChannel> & Record<string, unknown>;

export async function addChannel(body: ChannelInput): Promise<CreatedChannel> {
  const request = { method: "POST", path: "/channels", body } as const;
  const channel = await api({ ...request, schema: createdChannelSchema });
  patchChannels((channels) => [...channels.filter(({ id }) => id !== channel.id), channel]);
  return channel;
}

type Id = Pick<Channel, "id">;

export const useChangeChannel = ({ id }: Id) =>
  useMutation({
    scope: { id },
    mutationFn: (body: ChannelChange) =>
      api({
        method: "PATCH",
        path: "/channels/:id",
        params: { id },
        body,
        schema: channelSchema,
      }),
    onSuccess: (changed) =>
      patchChannels((channels) => channels.map((it) => (it.id === id ? changed : it))),
  });

export async function removeChannel({ id }: Id): Promise<void> {
  try {
    const request = { method: "DELETE", path: "/channels/:id", params: { id } } as const;
    await api({ ...request, schema: z.undefined() });
  } catch (error) {
    // Another tab or device was faster.
    if (!hasCode(error, "not-found")) throw error;
  }
  patchChannels((channels) => channels.filter((it) => it.id !== id));
}

export const rotateSecret = ({ id }: Id): Promise<RotatedSecret> =>
  api({
    method: "POST",
    path: "/channels/:id/rotate-secret",
    params: { id },
    schema: rotatedSecretSchema,
  });

export const joinTelegramChannel = (): Promise<ChannelInvite> =>
  api({ method: "POST", path: "/me/telegram-channel", schema: channelInviteSchema });

const deliveriesKey = (id: string) => [...queryKey, id, "deliveries"];

const refetchDeliveries = (id: string) =>
  Promise.all([refetch({ queryKey: deliveriesKey(id) }), refetchChannels()]);

export async function testChannel({ id }: Id): Promise<void> {
  const request = { method: "POST", path: "/channels/:id/test", params: { id } } as const;
  await api({ ...request, schema: deliverySchema });
  void refetchDeliveries(id);
}

export async function resendDelivery({ id }: Id, delivery: Delivery): Promise<void> {
  await api({
    method: "POST",
    path: "/channels/:id/deliveries/:deliveryId/resend",
    params: { id, deliveryId: delivery.id },
    schema: deliverySchema,
  });
  void refetchDeliveries(id);
}

/** An attempt that is due within this time is waited for. */
const SOON_MS = 60_000;
const ATTEMPT_POLL_INTERVAL_MS = 2_000;

const isDueSoon = ({ status, next_attempt_at: at }: Delivery): boolean =>
  status === "retrying" && (at === null || Date.parse(at) < Date.now() + SOON_MS);

export const useDeliveries = ({ id }: Id) =>
  useInfiniteQuery({
    queryKey: deliveriesKey(id),
    queryFn: ({ pageParam, signal }) =>
      api({
        path: "/channels/:id/deliveries",
        params: { id },
        query: pageParam,
        schema: deliveryPageSchema,
        signal,
      }),
    initialPageParam: {},
    getNextPageParam: ({ next_cursor: cursor }) => cursor && { cursor },
    select: ({ pages }) => pages.flatMap(({ deliveries }) => deliveries),
    refetchInterval: ({ state }) =>
      (state.data?.pages[0]?.deliveries.some(isDueSoon) ?? false) && ATTEMPT_POLL_INTERVAL_MS,
  });

const quietHoursKey = ["quiet-hours"];

export const useQuietHours = () =>
  useQuery({
    queryKey: quietHoursKey,
    queryFn: ({ signal }) =>
      api({ path: "/me/quiet-hours", schema: quietHoursSettingSchema, signal }),
    enabled: useReady(),
  });

export async function saveQuietHours(body: QuietHoursSetting): Promise<void> {
  const request = { method: "PUT", path: "/me/quiet-hours", body } as const;
  const saved = await api({ ...request, schema: quietHoursSettingSchema });
  patchQueries<QuietHoursSetting>(quietHoursKey, () => saved);
}

const deliverySettingsKey = ["delivery-settings"];

export const useDeliverySettings = () =>
  useQuery({
    queryKey: deliverySettingsKey,
    queryFn: ({ signal }) =>
      api({ path: "/me/delivery-settings", schema: deliverySettingsSchema, signal }),
    enabled: useReady(),
  });

export async function saveDeliverySettings(body: DeliverySettingsChoice): Promise<void> {
  const request = { method: "PUT", path: "/me/delivery-settings", body } as const;
  const saved = await api({ ...request, schema: deliverySettingsSchema });
  patchQueries<DeliverySettingsChoice>(deliverySettingsKey, () => saved);
}
