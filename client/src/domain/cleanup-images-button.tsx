import { TIMEOUTS_MS } from "@shared/contract/constants.ts";
import { cleanupResultSchema } from "@shared/contract/files.ts";
import { api } from "../lib/api/client.ts";
import { errorText } from "../lib/api/errors.ts";
import { refetch } from "../lib/query-client.ts";
import type { ButtonLook } from "../ui/button.tsx";
import { ConfirmButton } from "../ui/confirm-button.tsx";

/** Deletes chart images that are older than 30 days or belong to no signal. For administrators. */
export function CleanupImagesButton(look: ButtonLook) {
  return (
    <ConfirmButton
      {...look}
      label="Cleanup Images"
      title="Clean up chart images?"
      run={cleanupImages}
      failureText={(error) =>
        `Failed to clean up images. Error: ${errorText(error, "Unknown error")}`
      }
    >
      Chart images that are older than 30 days or belong to no signal are deleted. This cannot be
      undone.
    </ConfirmButton>
  );
}

async function cleanupImages(): Promise<string> {
  const { detail } = await api({
    method: "POST",
    path: "/admin/cleanup-images",
    timeoutMs: TIMEOUTS_MS.cleanup,
    schema: cleanupResultSchema,
  });
  void refetch({ queryKey: ["admin"] });
  return detail;
}
