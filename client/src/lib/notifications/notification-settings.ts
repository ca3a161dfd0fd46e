import { z } from "zod";
import { create } from "zustand";
import { createJSONStorage, persist } from "zustand/middleware";
import { browserStorage } from "../session.ts";

const settingsSchema = z.object({
  /** Switched off in the product, whatever the browser's permission. */
  off: z.boolean(),
  muted: z.boolean(),
});

interface NotificationSettings extends z.infer<typeof settingsSchema> {
  /** `unsupported`: not in this browser, or not on an insecure address. */
  permission: NotificationPermission | "unsupported";
}

const currentPermission = () =>
  "Notification" in window && window.isSecureContext ? Notification.permission : "unsupported";

export const useNotificationSettings = create<NotificationSettings>()(
  persist(
    (): NotificationSettings => ({ permission: currentPermission(), off: false, muted: false }),
    {
      name: "notifications",
      storage: createJSONStorage(browserStorage),
      partialize: ({ off, muted }) => ({ off, muted }),
      merge: (stored, current) => ({ ...current, ...settingsSchema.safeParse(stored).data }),
    },
  ),
);

/** Asks the user for permission; call it only from a click. */
export async function requestPermission(): Promise<void> {
  if (currentPermission() === "unsupported") return;
  const permission = await Notification.requestPermission();
  useNotificationSettings.setState({ permission });
  if (permission === "granted") useNotificationSettings.setState({ off: false });
}

/** Another tab or the browser's own settings may have changed them. Every `setState` writes, so read first. */
async function readAgain(): Promise<void> {
  await useNotificationSettings.persist.rehydrate();
  useNotificationSettings.setState({ permission: currentPermission() });
}

window.addEventListener("storage", () => void readAgain());
window.addEventListener("focus", () => void readAgain());
