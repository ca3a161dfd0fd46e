import type { UserList } from "@shared/contract/admin.ts";
import type { ChartImageList } from "@shared/contract/files.ts";
import type { QueryKey } from "@tanstack/react-query";
import { useEffect } from "react";
import type { LiveEvent } from "../../lib/live/live-event.ts";
import { onLiveEvent } from "../../lib/live/live-listeners.ts";
import { queryClient } from "../../lib/query-client.ts";
import { readAgain } from "../../lib/read-again.ts";
import { adminKeys } from "./admin-queries.ts";
import { applyToImages, applyToUsers } from "./apply-admin-event.ts";

/** Keeps what the admin page has read in step with the admins' events, as long as it is open. */
export function useAdminSync(): void {
  useEffect(() => onLiveEvent(follow), []);
}

function follow(event: LiveEvent): void {
  if (event.stream !== "admins") return;
  patch<UserList>(adminKeys.users, ({ users }) => ({ users: applyToUsers(users, event) }));
  patch<ChartImageList>(adminKeys.images, ({ images }) => ({
    images: applyToImages(images, event),
  }));
  if (event.name === "payment-details:updated") patch(adminKeys.payment, () => event.data);
  if (event.name === "budget:reached") void readAgain({ queryKey: adminKeys.usage });
  void readAgain({ queryKey: adminKeys.audit });
}

/** What is being read at this moment may be older than the event, and is read again. */
function patch<Data>(queryKey: QueryKey, change: (data: Data) => Data): void {
  queryClient.setQueryData<Data>(queryKey, (data) => data && change(data));
  if (queryClient.isFetching({ queryKey }) > 0) void readAgain({ queryKey });
}
