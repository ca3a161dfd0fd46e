import { type QueryKey, useMutation } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { z } from "zod";
import { api } from "../../lib/api/client.ts";
import { refetch } from "../../lib/query-client.ts";
import { ErrorAlert } from "../../ui/alert.tsx";
import { Button } from "../../ui/button.tsx";

interface EndableItemProps {
  path: "/me/api-keys/:id" | "/me/sessions/:id";
  id: string;
  /** Of the list that it is in. */
  listKey: QueryKey;
  /** What the button ends: "the key Laptop". Null without a button. */
  name: string | null;
  children: ReactNode;
}

/** Something that gives access to the account, with the button that ends it. */
export function EndableItem({ path, id, listKey, name, children }: EndableItemProps) {
  const end = useMutation({
    mutationFn: () => api({ method: "DELETE", path, params: { id }, schema: z.undefined() }),
    onSettled: () => refetch({ queryKey: listKey }),
  });
  return (
    <div className="flex flex-col gap-2">
      <div className="flex items-center gap-3">
        {children}
        {name !== null && (
          <Button
            variant="secondary"
            size="sm"
            busy={end.isPending}
            aria-label={`End ${name}`}
            onClick={() => end.mutate()}
          >
            End
          </Button>
        )}
      </div>
      <ErrorAlert message={end.error?.message} />
    </div>
  );
}
