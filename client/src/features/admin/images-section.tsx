import type { ChartImage } from "@shared/contract/files.ts";
import { Images } from "lucide-react";
import { useState } from "react";
import { CleanupImagesButton } from "../../domain/cleanup-images-button.tsx";
import { formatBytes } from "../../lib/format.ts";
import { Button, TextLink } from "../../ui/button.tsx";
import { Card, Skeleton } from "../../ui/card.tsx";
import { ConfirmButton } from "../../ui/confirm-button.tsx";
import { ImageDialog } from "../../ui/dialog.tsx";
import { EmptyState, QueryView } from "../../ui/load-states.tsx";
import { LocalTime } from "../../ui/local-time.tsx";
import { AdminSection } from "./admin-section.tsx";
import { deleteChartImage, reasonOf, runAction, useChartImages } from "./api.ts";

const PAGE_SIZE = 24;

interface ImagesSectionProps {
  pageSize?: number;
  isPage?: boolean;
  /** One row of small images. */
  isCompact?: boolean;
}

export function ImagesSection(props: ImagesSectionProps) {
  const { pageSize = PAGE_SIZE, isPage, isCompact = false } = props;
  const query = useChartImages();
  return (
    <AdminSection
      id="images"
      title="Chart images"
      isPage={isPage}
      lead="Images attached to signal requests. They are kept for 30 days."
      action={
        <div className="flex flex-wrap items-center gap-x-4 gap-y-2">
          {isCompact && <TextLink to="/admin/images">All images</TextLink>}
          <CleanupImagesButton />
        </div>
      }
    >
      <QueryView
        query={query}
        failed="Failed to load chart images."
        skeleton={
          <div className={galleryClass}>
            <Skeleton className="h-52 rounded-card" count={2} />
            <Skeleton className="hidden h-52 rounded-card md:block" />
          </div>
        }
      >
        {({ images }) =>
          images.length === 0 ? (
            <EmptyState
              Icon={Images}
              title="No chart images."
              text="Images attached to signal requests appear here."
              className="min-h-40"
            />
          ) : (
            <Gallery
              images={images}
              pageSize={pageSize}
              isCompact={isCompact}
              onExpired={() => query.refetch({ cancelRefetch: false })}
            />
          )
        }
      </QueryView>
    </AdminSection>
  );
}

const galleryClass = "grid grid-cols-2 gap-3 md:grid-cols-3 lg:grid-cols-6";

/** One row, which scrolls sideways on small screens. */
const rowClass =
  "grid grid-flow-col auto-cols-[minmax(9rem,1fr)] gap-3 overflow-x-auto lg:grid-flow-row lg:grid-cols-6";

interface GalleryProps {
  images: ChartImage[];
  pageSize: number;
  isCompact: boolean;
  onExpired(): unknown;
}

function Gallery({ images, pageSize, isCompact, onExpired }: GalleryProps) {
  const [count, setCount] = useState(pageSize);
  return (
    <>
      <ul className={isCompact ? rowClass : galleryClass}>
        {images.slice(0, count).map((image) => (
          <li key={image.filename} className="flex">
            <ImageCard image={image} isCompact={isCompact} onExpired={onExpired} />
          </li>
        ))}
      </ul>
      {!isCompact && images.length > count && (
        <Button
          variant="secondary"
          className="self-center"
          onClick={() => setCount(count + PAGE_SIZE)}
        >
          Show more images
        </Button>
      )}
    </>
  );
}

interface ImageCardProps extends Pick<GalleryProps, "isCompact" | "onExpired"> {
  image: ChartImage;
}

function ImageCard({ image, isCompact, onExpired }: ImageCardProps) {
  const { filename, size, modified, url, username } = image;
  return (
    <Card className="flex w-full min-w-0 flex-col p-3">
      <ImageDialog
        src={url}
        title={`Chart image of ${username}`}
        onExpired={onExpired}
        className={`w-full ${isCompact ? "aspect-video" : "aspect-4/3"}`}
      />
      <div className="mt-3 min-w-0 flex-1 text-sm">
        <p className="truncate font-medium">{username}</p>
        {!isCompact && (
          <>
            <p title={filename} className="truncate text-xs text-ink-faint">
              {filename}
            </p>
            <p className="figures mt-1 text-xs text-ink-muted">
              {formatBytes(size)} · <LocalTime iso={modified} />
            </p>
          </>
        )}
      </div>
      <div className="mt-2 -ml-3 flex">
        <ConfirmButton
          label="Delete image"
          variant="ghostDanger"
          title="Delete this chart image?"
          run={() => runAction(deleteChartImage(filename))}
          failureText={(error) => `Failed to delete image. Error: ${reasonOf(error)}`}
        >
          The image that {username} uploaded is deleted. The signal made with it is kept. This
          cannot be undone.
        </ConfirmButton>
      </div>
    </Card>
  );
}
