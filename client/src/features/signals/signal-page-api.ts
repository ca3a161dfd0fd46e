import { type ActionDone, actionDoneSchema } from "@shared/contract/admin.ts";
import {
  type SharedSignal,
  type ShareLink,
  type SignalSince,
  sharedSignalSchema,
  shareLinkSchema,
  signalSinceSchema,
} from "@shared/contract/signal-page.ts";
import { api } from "../../lib/api/client.ts";

export const readSince = (id: string, signal: AbortSignal): Promise<SignalSince> =>
  api({ path: "/signals/:id/since", params: { id }, schema: signalSinceSchema, signal });

/** Makes a link to a signal; the one before stops working. */
export const shareSignal = (id: string): Promise<ShareLink> =>
  api({ method: "POST", path: "/signals/:id/share", params: { id }, schema: shareLinkSchema });

export const unshareSignal = (id: string): Promise<ActionDone> =>
  api({ method: "DELETE", path: "/signals/:id/share", params: { id }, schema: actionDoneSchema });

export const readShared = (token: string, signal: AbortSignal): Promise<SharedSignal> =>
  api({ path: "/shared/:token", params: { token }, schema: sharedSignalSchema, signal });
