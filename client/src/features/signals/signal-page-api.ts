import { type ActionDone, actionDoneSchema } from "@shared/contract/admin.ts";
import {
  type SharedSignal,
  type ShareLink,
  sharedSignalSchema,
  shareLinkSchema,
  signalProgressSchema,
} from "@shared/contract/signal-page.ts";
import { queryOptions } from "@tanstack/react-query";
import { api } from "../../lib/api/client.ts";
import { signalKeys } from "./apply-event.ts";

/** The candles since a signal was made, its outcome, and since when it is shared. */
export const progressQuery = (id: string) =>
  queryOptions({
    queryKey: signalKeys.progress(id),
    queryFn: ({ signal }) =>
      api({ path: "/signals/:id/since", params: { id }, schema: signalProgressSchema, signal }),
  });

/** Creates a link to a signal; an earlier link stops working. */
export const createShareLink = (id: string): Promise<ShareLink> =>
  api({ method: "POST", path: "/signals/:id/share", params: { id }, schema: shareLinkSchema });

export const revokeShareLink = (id: string): Promise<ActionDone> =>
  api({ method: "DELETE", path: "/signals/:id/share", params: { id }, schema: actionDoneSchema });

export const readShared = (token: string, signal: AbortSignal): Promise<SharedSignal> =>
  api({ path: "/shared/:token", params: { token }, schema: sharedSignalSchema, signal });
