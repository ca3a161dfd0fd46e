import { Card } from "../../../ui/card.tsx";
import { CleanupImagesButton } from "../../../ui/cleanup-images-button.tsx";

export function AdminTools() {
  return (
    <Card className="flex flex-col items-start gap-3 p-5 sm:p-6">
      <div>
        <h2 className="font-semibold tracking-tight">Admin Tools</h2>
        <p className="mt-1 text-sm text-ink-muted text-pretty">
          Delete chart images that are no longer needed.
        </p>
      </div>
      <CleanupImagesButton variant="secondary" />
    </Card>
  );
}
