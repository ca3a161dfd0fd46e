import type { ChartImage } from "@shared/contract/files.ts";
import { formatBytes } from "../../lib/format.ts";
import { Card } from "../../ui/card.tsx";
import { ConfirmButton } from "../../ui/confirm-button.tsx";
import { LocalTime } from "../../ui/local-time.tsx";
import { PictureDialog } from "../../ui/picture-dialog.tsx";
import { deleteChartImage } from "./admin-api.ts";
import { reasonOf, runAction } from "./run-action.ts";
import { confirmTexts, failureTexts, imageTexts as texts } from "./texts.ts";

interface ImageItemProps {
  image: ChartImage;
  onExpired(): void;
}

/** One chart image with whose it is. */
export function ImageItem({ image, onExpired }: ImageItemProps) {
  const { filename, size, modified, url, username } = image;
  return (
    <Card className="flex w-full min-w-0 flex-col p-3">
      <PictureDialog
        src={url}
        title={texts.pictureOf(username)}
        onExpired={onExpired}
        className="aspect-4/3 w-full"
      />
      <div className="mt-3 min-w-0 flex-1 text-sm">
        <p className="truncate font-medium">{username}</p>
        <p title={filename} className="truncate text-xs text-ink-faint">
          {filename}
        </p>
        <p className="figures mt-1 text-xs text-ink-muted">
          {formatBytes(size)} · <LocalTime iso={modified} />
        </p>
      </div>
      <div className="mt-2 -ml-3 flex">
        <ConfirmButton
          label={texts.deleteImage}
          variant="ghostDanger"
          title={confirmTexts.deleteImageTitle}
          run={() => runAction(deleteChartImage(filename))}
          failureText={(error) => failureTexts.deleteImage(reasonOf(error))}
        >
          {confirmTexts.deleteImage(username)}
        </ConfirmButton>
      </div>
    </Card>
  );
}
