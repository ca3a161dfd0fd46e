/** A path of our own only: the history's state must not lead anybody elsewhere. */
const OWN_PATH = /^\/(?![/\\])/;

/** Where a guard stopped the user, to go there after the login; the dashboard otherwise. */
export function readReturnTo(state: unknown): string {
  const from = typeof state === "object" && state && "from" in state ? state.from : undefined;
  return typeof from === "string" && OWN_PATH.test(from) ? from : "/dashboard";
}
