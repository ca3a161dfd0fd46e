import type { ChartImage } from "@shared/contract/files.ts";
import { Images } from "lucide-react";
import { useState } from "react";
import { cleanupImages } from "../../lib/api/cleanup-images.ts";
import { Button } from "../../ui/button.tsx";
import { ConfirmButton } from "../../ui/confirm-button.tsx";
import { Skeleton } from "../../ui/skeleton.tsx";
import { useChartImages } from "./admin-queries.ts";
import { AdminSection } from "./admin-section.tsx";
import { ImageItem } from "./image-item.tsx";
import { LoadError } from "./load-error.tsx";
import { reasonOf, runAction } from "./run-action.ts";
import { adminTexts, confirmTexts, failureTexts, imageTexts as texts } from "./texts.ts";

/** Pictures shown at a time; each is a request of its own. */
const PAGE_SIZE = 24;

/** The gallery of uploaded chart images. */
export function ImagesSection() {
  const query = useChartImages();
  const images = query.data?.images;
  return (
    <AdminSection id="images" title={texts.title} lead={texts.lead} action={<CleanupButton />}>
      {query.error && !images && (
        <LoadError
          title={texts.loadFailed}
          error={query.error}
          busy={query.isFetching}
          onAgain={() => void query.refetch()}
        />
      )}
      {!query.error && !images && <GallerySkeleton />}
      {images?.length === 0 && <EmptyGallery />}
      {images && images.length > 0 && (
        <Gallery images={images} onExpired={() => void query.refetch({ cancelRefetch: false })} />
      )}
    </AdminSection>
  );
}

function CleanupButton() {
  return (
    <ConfirmButton
      label={texts.cleanup}
      title={confirmTexts.cleanupTitle}
      run={() => runAction(cleanupImages())}
      failureText={(error) => failureTexts.cleanup(reasonOf(error))}
    >
      {confirmTexts.cleanup}
    </ConfirmButton>
  );
}

function Gallery({ images, onExpired }: { images: ChartImage[]; onExpired(): void }) {
  const [count, setCount] = useState(PAGE_SIZE);
  return (
    <>
      <ul className="grid grid-cols-2 gap-4 md:grid-cols-3 xl:grid-cols-4">
        {images.slice(0, count).map((image) => (
          <li key={image.filename} className="flex">
            <ImageItem image={image} onExpired={onExpired} />
          </li>
        ))}
      </ul>
      {images.length > count && (
        <Button
          variant="secondary"
          className="self-center"
          onClick={() => setCount(count + PAGE_SIZE)}
        >
          {texts.showMore}
        </Button>
      )}
    </>
  );
}

function EmptyGallery() {
  return (
    <div className="flex flex-col items-center gap-2 rounded-card border border-dashed border-line-strong px-6 py-14 text-center">
      <Images aria-hidden className="size-8 text-ink-faint" strokeWidth={1.5} />
      <p className="font-semibold">{texts.empty}</p>
      <p className="text-ink-muted text-pretty">{texts.emptyLead}</p>
    </div>
  );
}

function GallerySkeleton() {
  return (
    <div
      role="status"
      aria-label={adminTexts.loading}
      className="grid grid-cols-2 gap-4 md:grid-cols-3 xl:grid-cols-4"
    >
      <Skeleton className="h-56 rounded-card" />
      <Skeleton className="h-56 rounded-card" />
      <Skeleton className="hidden h-56 rounded-card md:block" />
    </div>
  );
}
