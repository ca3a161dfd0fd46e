import { z } from "zod";
import { create } from "zustand";
import { persist } from "zustand/middleware";

const settingsSchema = z.object({
  tab: z.enum(["chart", "tradingview"]),
  ema: z.boolean(),
  atrBands: z.boolean(),
});
type ChartSettings = z.infer<typeof settingsSchema>;

const defaults: ChartSettings = { tab: "chart", ema: true, atrBands: false };

/** What the user has chosen to see, kept in this browser. */
export const useChartSettings = create<ChartSettings>()(
  persist(() => defaults, {
    name: "chart",
    merge: (stored, current) => ({ ...current, ...settingsSchema.safeParse(stored).data }),
  }),
);
