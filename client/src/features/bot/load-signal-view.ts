/** Loads what shows a signal; a visit without one does not need it. */
export const loadSignalView = () => import("./signal-view.tsx");
