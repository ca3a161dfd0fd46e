import { useMutation } from "@tanstack/react-query";
import { ExternalLink } from "lucide-react";
import { apiOrigin } from "../../lib/env.ts";
import { Button } from "../../ui/button.tsx";
import { showToast } from "../../ui/show-toast.ts";
import { getQueueTicket } from "./admin-api.ts";
import { reasonOf } from "./run-action.ts";
import { healthTexts as texts } from "./texts.ts";

/** Opens the page of the job queue, which belongs to the host of the API, in a new tab. */
export function OpenQueueButton() {
  const open = useMutation({
    mutationFn: leadToQueue,
    onError: (error) => showToast({ title: texts.openQueueFailed, description: reasonOf(error) }),
  });
  // Only what a click opens at once is not taken for an unwanted window, so the tab is there before its address.
  const onClick = () => open.mutate(window.open("about:blank", "_blank"));
  return (
    <Button variant="secondary" size="sm" busy={open.isPending} onClick={onClick}>
      {!open.isPending && <ExternalLink aria-hidden className="size-4" />}
      {texts.openQueue}
      <span className="sr-only">{texts.inNewTab}</span>
    </Button>
  );
}

async function leadToQueue(tab: Window | null): Promise<void> {
  if (!tab) throw new Error(texts.popupBlocked);
  try {
    const { ticket } = await getQueueTicket();
    tab.opener = null;
    tab.location.replace(`${apiOrigin}/admin/queue/?${new URLSearchParams({ ticket })}`);
  } catch (error) {
    tab.close();
    throw error;
  }
}
