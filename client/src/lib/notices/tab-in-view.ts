const LOCK = "tab-in-view";

/**
 * Lets the other tabs know whether this one is in view, by a lock that it holds as long as it is. Without locks, which
 * browsers have on secure addresses only, there are no notifications either. Returns what ends it.
 */
export function followView(): () => void {
  let release: (() => void) | undefined;
  const follow = () => {
    const isInView = document.visibilityState === "visible";
    if (isInView && !release) {
      const untilHidden = new Promise<void>((resolve) => {
        release = resolve;
      });
      void navigator.locks?.request(LOCK, { mode: "shared" }, () => untilHidden);
    }
    if (!isInView) letGo();
  };
  const letGo = () => {
    release?.();
    release = undefined;
  };
  follow();
  document.addEventListener("visibilitychange", follow);
  return () => {
    document.removeEventListener("visibilitychange", follow);
    letGo();
  };
}

/** Whether the product is in view in any tab of this browser. */
export async function isAnyTabInView(): Promise<boolean> {
  const { held = [] } = (await navigator.locks?.query()) ?? {};
  return held.some(({ name }) => name === LOCK);
}
