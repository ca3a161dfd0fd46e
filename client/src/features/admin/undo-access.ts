import { UNDO_SECONDS } from "@shared/contract/constants.ts";
import { showToast } from "../../ui/show-toast.ts";
import { reasonOf, runAction, undoAccess } from "./api.ts";
import { severalAtOnce } from "./several-at-once.ts";

const UNDO_KEY = "z";

/** Says what was done, with a button and a key that undo it for ten seconds. A later offer replaces it. */
export function offerUndo(title: string, usernames: readonly string[]): void {
  current?.abort();
  const ended = new AbortController();
  current = ended;
  const { signal } = ended;
  const undo = () => {
    ended.abort();
    void undoAll(usernames);
  };
  addEventListener("keydown", (event) => isUndoKey(event) && undo(), { signal });
  showToast({
    title,
    action: { label: `Undo (${UNDO_KEY.toUpperCase()})`, run: undo },
    shownMs: UNDO_SECONDS.offered * 1_000,
    onClose: () => ended.abort(),
    until: signal,
  });
}

let current: AbortController | null = null;

/** Text that is being written may contain the key. */
export const isWriting = ({ target }: Event): boolean =>
  target instanceof HTMLElement &&
  target.closest("input:not([type=checkbox], [type=radio]), textarea, select") !== null;

const isUndoKey = (event: KeyboardEvent): boolean =>
  event.key.toLowerCase() === UNDO_KEY && !event.altKey && !event.repeat && !isWriting(event);

async function undoAll(usernames: readonly string[]): Promise<void> {
  const failed: string[] = [];
  let detail = "";
  const ended = new AbortController();
  if (usernames.length > 1) {
    const shownMs = UNDO_SECONDS.accepted * 1_000;
    showToast({ title: `Undoing for ${usernames.length} users …`, until: ended.signal, shownMs });
  }
  await severalAtOnce(usernames, async (username) => {
    try {
      detail = await runAction(undoAccess(username));
    } catch (error) {
      failed.push(`${username}: ${reasonOf(error)}`);
    }
  });
  ended.abort();
  const title =
    usernames.length === 1 ? detail : `Undone for ${usernames.length - failed.length} users.`;
  if (failed.length < usernames.length) showToast({ title });
  if (failed.length > 0) showToast({ title: "Undo failed", description: failed.join(" ") });
}
