/** For `useSyncExternalStore`, of what differs between a pre-rendered page and the browser but stays as it is there. */
export const neverChanges = () => () => undefined;
