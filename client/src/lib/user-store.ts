import { z } from "zod";
import { create } from "zustand";
import { createJSONStorage, persist } from "zustand/middleware";
import { browserStorage } from "./session.ts";

/** What this browser keeps for each of its users, the same in all tabs. */
export function createUserStore<Value>(name: string, schema: z.ZodType<Value>) {
  const storedSchema = z.object({ byUser: z.record(z.string(), schema) });
  const useStored = create<{ byUser: Record<string, Value> }>()(
    persist(() => ({ byUser: {} }), {
      name,
      storage: createJSONStorage(browserStorage),
      merge: (stored) => storedSchema.safeParse(stored).data ?? { byUser: {} },
    }),
  );
  // A change writes what all users have, so changes of other tabs are read first.
  globalThis.addEventListener?.("storage", ({ key }) => {
    if (key === null || key === name) void useStored.persist.rehydrate();
  });
  return {
    useValue: (username: string): Value | undefined => useStored(({ byUser }) => byUser[username]),
    update(username: string, change: (value: Value | undefined) => Value): void {
      useStored.setState(({ byUser }) => ({
        byUser: { ...byUser, [username]: change(byUser[username]) },
      }));
    },
  };
}
