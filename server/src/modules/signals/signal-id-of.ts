import { z } from "zod";

const signalRefSchema = z.object({ signal_id: z.string() });

/** Id of the signal that the data of an event name. */
export const signalIdOf = (data: unknown): string | undefined =>
  signalRefSchema.safeParse(data).data?.signal_id;
