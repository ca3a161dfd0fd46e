import { cleanupImages } from "../../../lib/api/cleanup-images.ts";
import { errorText } from "../../../lib/api/errors.ts";
import { Card } from "../../../ui/card.tsx";
import { ConfirmButton } from "../../../ui/confirm-button.tsx";

export function AdminTools() {
  return (
    <Card className="flex flex-col items-start gap-3 p-5 sm:p-6">
      <div>
        <h2 className="font-semibold tracking-tight">Admin Tools</h2>
        <p className="mt-1 text-sm text-ink-muted text-pretty">
          Delete chart images that are no longer needed.
        </p>
      </div>
      <ConfirmButton
        label="Cleanup Images"
        variant="secondary"
        title="Clean up chart images?"
        run={async () => (await cleanupImages()).detail}
        failureText={(error) =>
          `Failed to clean up images. Error: ${errorText(error, "Unknown error")}`
        }
      >
        Chart images that are older than 30 days or belong to no signal are deleted. This cannot be
        undone.
      </ConfirmButton>
    </Card>
  );
}
