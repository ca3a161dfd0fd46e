import { useEffect, useRef } from "react";

/** Returns a function that gives a signal, which aborts when the user leaves the screen. */
export function useLeaveSignal(): () => AbortSignal {
  const leaving = useRef(new AbortController());
  useEffect(() => {
    const controller = new AbortController();
    leaving.current = controller;
    return () => controller.abort();
  }, []);
  return () => leaving.current.signal;
}
