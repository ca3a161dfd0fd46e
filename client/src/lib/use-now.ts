import { useEffect, useState } from "react";

const TICK_MS = 1_000;

/** The time in Unix milliseconds, moving on each second, or `tickMs`, while `running`. */
export function useNow(running: boolean, tickMs = TICK_MS): number {
  const [now, setNow] = useState(() => Date.now());
  useEffect(() => {
    if (!running) return;
    setNow(Date.now());
    const timer = setInterval(() => setNow(Date.now()), tickMs);
    return () => clearInterval(timer);
  }, [running, tickMs]);
  return now;
}
