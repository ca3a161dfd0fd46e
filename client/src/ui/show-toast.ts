import { create } from "zustand";

export interface ToastMessage {
  title: string;
  description?: string;
  /** What a click on the toast's button does. */
  action?: { label: string; run(): void };
}

/** Messages that are still to be shown, and whether there ever was one: what shows them is loaded with the first. */
export const useToasts = create<{ waiting: readonly ToastMessage[]; wanted: boolean }>()(() => ({
  waiting: [],
  wanted: false,
}));

/** Shows a short message that goes away by itself, read out by screen readers; in a hidden tab, once that is seen. */
export function showToast(message: ToastMessage): void {
  useToasts.setState(({ waiting }) => ({ waiting: [...waiting, message], wanted: true }));
}

/** Takes the messages out that are to be shown now. */
export function takeToasts(): readonly ToastMessage[] {
  const { waiting } = useToasts.getState();
  if (waiting.length > 0) useToasts.setState({ waiting: [] });
  return waiting;
}
