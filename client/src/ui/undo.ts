import { useSession } from "../lib/session.ts";
import { showToast } from "./show-toast.ts";

interface UndoableAction {
  /** What the user sees as done. */
  title: string;
  send(): Promise<unknown>;
  /** Shows the state before the action. */
  onUndo(): void;
  onFailure(error: unknown): void;
}

/**
 * For actions that the server cannot reverse: sends the request once the message with its Undo button has disappeared,
 * at once if the page is hidden or left or the user logs out.
 */
export function runUndoable({ title, send, onUndo, onFailure }: UndoableAction): void {
  const ended = new AbortController();
  const { signal } = ended;
  const sendNow = () => {
    if (signal.aborted) return;
    ended.abort();
    send().catch(onFailure);
  };
  const undo = () => {
    if (signal.aborted) return;
    ended.abort();
    onUndo();
  };
  const onHidden = () => document.visibilityState === "hidden" && sendNow();
  document.addEventListener("visibilitychange", onHidden, { signal });
  addEventListener("pagehide", sendNow, { signal });
  const stop = useSession.subscribe(({ token }) => token === null && sendNow());
  signal.addEventListener("abort", stop);
  showToast({ title, action: { label: "Undo", run: undo }, onClose: sendNow, until: signal });
}
