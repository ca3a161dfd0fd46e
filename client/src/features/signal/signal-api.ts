import { type ActionDone, actionDoneSchema } from "@shared/contract/admin.ts";
import { type SignalCandles, signalCandlesSchema } from "@shared/contract/candle.ts";
import { type SignalResponse, signalResponseSchema } from "@shared/contract/signal.ts";
import {
  type SharedSignal,
  type ShareLink,
  type SignalSince,
  sharedSignalSchema,
  shareLinkSchema,
  signalSinceSchema,
} from "@shared/contract/signal-page.ts";
import { api } from "../../lib/api/api.ts";

const pathOf = (id: string) => `/signals/${encodeURIComponent(id)}`;

export const readSignal = (id: string, signal: AbortSignal): Promise<SignalResponse> =>
  api({ path: pathOf(id), schema: signalResponseSchema, signal });

export const readCandles = (id: string, signal: AbortSignal): Promise<SignalCandles> =>
  api({ path: `${pathOf(id)}/candles`, schema: signalCandlesSchema, signal });

export const readSince = (id: string, signal: AbortSignal): Promise<SignalSince> =>
  api({ path: `${pathOf(id)}/since`, schema: signalSinceSchema, signal });

/** Makes a link to a signal; the one before stops working. */
export const shareSignal = (id: string): Promise<ShareLink> =>
  api({ method: "POST", path: `${pathOf(id)}/share`, schema: shareLinkSchema });

export const unshareSignal = (id: string): Promise<ActionDone> =>
  api({ method: "DELETE", path: `${pathOf(id)}/share`, schema: actionDoneSchema });

export const readShared = (token: string, signal: AbortSignal): Promise<SharedSignal> =>
  api({ path: `/shared/${encodeURIComponent(token)}`, schema: sharedSignalSchema, signal });
