import { once } from "node:events";
import { QueryObserver } from "@tanstack/react-query";
import { afterEach, expect, it, vi } from "vitest";
import { queryClient, refetch } from "./query-client.ts";

afterEach(() => queryClient.clear());

it("a first read in progress is repeated, as it may be older than the change", async () => {
  const queryKey = ["changed"];
  let state = "old";
  const answers = new EventTarget();
  const queryFn = async () => {
    const read = state;
    if (read === "old") await once(answers, "sent");
    return read;
  };
  const observer = new QueryObserver(queryClient, { queryKey, queryFn });
  const stop = observer.subscribe(() => undefined);
  state = "new";
  const done = refetch({ queryKey });
  answers.dispatchEvent(new Event("sent"));
  await done;
  await vi.waitFor(() => expect(observer.getCurrentResult().data).toBe("new"), { timeout: 30_000 });
  stop();
});
