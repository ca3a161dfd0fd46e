import { notifyManager } from "@tanstack/react-query";
import { useState } from "react";

/** What an administrator has changed in a form. */
export function useChanges<Fields extends object>() {
  const [changes, setChanges] = useState<Partial<Fields>>({});
  return {
    changes,
    change: (change: Partial<Fields>) => setChanges((before) => ({ ...before, ...change })),
    /** What was changed once more while it was saved stays. */
    forgetSaved: (saved: Partial<Fields>) =>
      afterShown(() => setChanges((now) => laterThan(saved, now))),
    discard: () => setChanges({}),
  };
}

/**
 * Forgets a draft after the components have received the saved data. If it were forgotten before, the fields would show the
 * former texts for a moment, and lose their selection.
 */
export const afterShown = (forget: () => void): void => notifyManager.schedule(forget);

function laterThan<Fields extends object>(
  saved: Partial<Fields>,
  now: Partial<Fields>,
): Partial<Fields> {
  const later = { ...now };
  for (const name in saved) if (later[name] === saved[name]) delete later[name];
  return later;
}
