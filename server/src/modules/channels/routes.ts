import { channelRoutes } from "@shared/contract/routes/channel-routes.ts";
import { type BoundRoute, handle } from "../../http/router.ts";
import { addChannel } from "./add-channel.ts";
import { readTotals, setPaused } from "./admin-channels.ts";
import {
  markProblemsSeen,
  presentDeliverySettings,
  setDeliverySettings,
} from "./delivery-settings.ts";
import { offeredKinds } from "./kinds/channel-kinds.ts";
import { notConfigured } from "./kinds/new-target.ts";
import {
  changeChannel,
  deleteChannel,
  findChannel,
  presentQuietHours,
  resendDelivery,
  rotateSecret,
  setQuietHours,
  testChannel,
  unsubscribe,
} from "./manage-channels.ts";
import { listChannels, listDeliveries, readAndPresent } from "./present-channels.ts";

/** Where users get messages outside the app. */
export const channelHandlers: BoundRoute[] = [
  handle(channelRoutes.listChannels, (_, { deps, session }) => listChannels(deps, session.user)),
  handle(channelRoutes.listKinds, (_, { deps }) => ({ kinds: offeredKinds(deps.settings) })),
  handle(channelRoutes.addChannel, ({ body }, { deps, session }) =>
    addChannel(deps, session, body),
  ),
  handle(channelRoutes.unsubscribe, async ({ query }, { deps }) => {
    await unsubscribe(deps, query.token);
    return { detail: "You will get no more of these emails." };
  }),
  handle(channelRoutes.changeChannel, async ({ params, body }, { deps, session }) =>
    readAndPresent(deps, await changeChannel(deps, session, params.id, body)),
  ),
  handle(channelRoutes.deleteChannel, ({ params }, { deps, session }) =>
    deleteChannel(deps, session.user, params.id),
  ),
  handle(channelRoutes.testChannel, ({ params }, { deps, session }) =>
    testChannel(deps, session.user, params.id),
  ),
  handle(channelRoutes.listDeliveries, async ({ params, query }, { deps, session }) => {
    const channel = await findChannel(deps.database, session.user, params.id);
    return listDeliveries(deps.database, channel, query.cursor);
  }),
  handle(channelRoutes.resendDelivery, ({ params }, { deps, session }) =>
    resendDelivery(deps, session.user, params.id, params.deliveryId),
  ),
  handle(channelRoutes.rotateSecret, ({ params }, { deps, session }) =>
    rotateSecret(deps, session.user, params.id),
  ),
  handle(channelRoutes.getPushKey, (_, { deps }) => {
    const { VAPID_PUBLIC_KEY: publicKey } = deps.settings;
    if (!publicKey) throw notConfigured("Web push");
    return { public_key: publicKey };
  }),
  handle(channelRoutes.getQuietHours, (_, { session }) => presentQuietHours(session.user)),
  handle(channelRoutes.setQuietHours, ({ body }, { deps, session }) =>
    setQuietHours(deps, session.user, body),
  ),
  handle(channelRoutes.getDeliverySettings, (_, { session }) =>
    presentDeliverySettings(session.user),
  ),
  handle(channelRoutes.setDeliverySettings, ({ body }, { deps, session }) =>
    setDeliverySettings(deps, session.user, body),
  ),
  handle(channelRoutes.markProblemsSeen, ({ body }, { deps, session }) =>
    markProblemsSeen(deps, session.user, new Date(body.until)),
  ),
  handle(channelRoutes.getTotals, (_, { deps }) => readTotals(deps.database, deps.now())),
  handle(channelRoutes.pauseDeliveries, async (_, { deps, session }) => {
    await setPaused(deps, session, true);
    return { detail: "All deliveries are paused." };
  }),
  handle(channelRoutes.resumeDeliveries, async (_, { deps, session }) => {
    await setPaused(deps, session, false);
    return { detail: "Deliveries are resumed." };
  }),
];
