import { once } from "node:events";
import { eventSchemas } from "@shared/contract/events/event-data.ts";
import { envelopeSchema } from "@shared/contract/events.ts";
import { z } from "zod";
import { openSocket } from "./raw-socket.ts";

// A process with the sockets of watchers, so that what they receive delays no request that the benchmark times.

const startSchema = z.object({ apiUrl: z.string(), tokens: z.array(z.string()) });
const eventSchema = z.tuple([z.string(), z.unknown()]);
const completedSchema = envelopeSchema.extend({ data: eventSchemas["signal:completed"] });

/** Type of the packets that carry an event. */
const EVENT = "42";

const received: { packet: string; atMs: number }[] = [];

process.once("disconnect", () => process.exit());
const [start] = await once(process, "message");
const { apiUrl, tokens } = startSchema.parse(start);
await Promise.all(
  tokens.map((token) =>
    openSocket(apiUrl, {
      auth: { token },
      onPacket: (packet) => received.push({ packet, atMs: Date.now() }),
    }),
  ),
);
process.on("message", () => process.send?.(received.splice(0).flatMap(readPush)));
process.send?.({});

/** Trades may be filled meanwhile, which is published as well. */
function readPush({ packet, atMs }: (typeof received)[number]) {
  const [name, event] = eventSchema.parse(JSON.parse(packet.slice(EVENT.length)));
  if (name !== "signal:completed") return [];
  const { data } = completedSchema.parse(event);
  return [{ analysisId: data.analysis?.source.analysis_id, atMs }];
}
