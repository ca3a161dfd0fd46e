import { useState } from "react";

/** What an administrator has changed in a form. */
export function useChanges<Fields extends object>() {
  const [changes, setChanges] = useState<Partial<Fields>>({});
  return {
    changes,
    change: (change: Partial<Fields>) => setChanges((before) => ({ ...before, ...change })),
    /** What was changed once more while it was saved stays. */
    forgetSaved: (saved: Partial<Fields>) => setChanges((now) => laterThan(saved, now)),
    discard: () => setChanges({}),
  };
}

function laterThan<Fields extends object>(
  saved: Partial<Fields>,
  now: Partial<Fields>,
): Partial<Fields> {
  const later = { ...now };
  for (const name in saved) if (later[name] === saved[name]) delete later[name];
  return later;
}
