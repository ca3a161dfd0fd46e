import type { EventText, Wording } from "@shared/contract/events/event-entry.ts";
import { describeEvent } from "@shared/contract/events/event-table.ts";
import { plainPrice } from "@shared/contract/price.ts";
import { formatUsd } from "../lib/format.ts";

const WORDING: Wording = {
  price: plainPrice,
  usd: formatUsd,
  unknownSignal: "a deleted signal",
};

/** What an event says to the user; null if it only updates what is shown. */
export const describeNotification = (event: { name: string; data: object }): EventText | null =>
  describeEvent(event, WORDING);
