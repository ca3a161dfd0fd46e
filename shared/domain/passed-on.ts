import type { DeliverySource } from "@shared/database/models/channel.ts";
import { workId } from "@shared/work/work-item.ts";
import type { Types } from "mongoose";
import { z } from "zod";

/** Passes on what a channel that was turned off had left to deliver. */
export const PASS_ON = "pass-on";

export const passOnSchema = z.object({ userId: z.string(), channelId: z.string() });

/** The id of the delivery by which a message is passed on. Each message has one, so that it is passed on once. */
export const passedOnId = (
  userId: Types.ObjectId,
  { stream, seq }: Pick<DeliverySource, "stream" | "seq">,
): Types.ObjectId => workId("passed-on", `${userId} ${stream} ${seq}`);
