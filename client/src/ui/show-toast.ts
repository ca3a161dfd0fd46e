import { create } from "zustand";
import { errorText } from "../lib/api/errors.ts";

export interface ToastMessage {
  title: string;
  description?: string;
  /** The message disappears when it is used. */
  action?: { label: string; run(): void };
  /** As long as other messages by default. */
  shownMs?: number;
  /** Shows something that the user did not just do. It never takes the place of the answer to what they did. */
  isEvent?: boolean;
  onClose?(): void;
  /** Ends the message early. */
  until?: AbortSignal;
}

/** Messages to show. `wanted` stays true after the first one, which loads the toaster. */
export const useToasts = create<{ waiting: readonly ToastMessage[]; wanted: boolean }>()(() => ({
  waiting: [],
  wanted: false,
}));

/** Shows a short message, read out by screen readers. In a hidden tab, it waits until the tab is visible. */
export function showToast(message: ToastMessage): void {
  useToasts.setState(({ waiting }) => ({ waiting: [...waiting, message], wanted: true }));
}

export function takeToasts(): readonly ToastMessage[] {
  const { waiting } = useToasts.getState();
  if (waiting.length > 0) useToasts.setState({ waiting: [] });
  return waiting;
}

/** For `onError`: says what failed, and why. */
export const failureToast =
  (title: string) =>
  (error: unknown): void =>
    showToast({ title, description: errorText(error, "Please try again.") });
