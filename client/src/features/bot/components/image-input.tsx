import { IMAGE_ANALYSIS_CREDITS, MESSAGES } from "@shared/contract/constants.ts";
import { Link } from "react-router-dom";
import { ImageField } from "../../../ui/image-field.tsx";

const NOT_READ =
  "Images are not read here: fixed rules make the signals. An image adds nothing, and its credit is returned.";

interface ImageInputProps {
  file: File | null;
  credits: number;
  /** Whether an analyst reads the image. */
  isRead: boolean;
  disabled: boolean;
  onChange(file: File | null): void;
}

export function ImageInput(props: ImageInputProps) {
  const { file, credits, isRead, disabled, onChange } = props;
  const cannotPay = credits <= 0;
  return (
    <div className="flex flex-col gap-1.5">
      <ImageField
        name="chart_image"
        label="Chart image (optional)"
        file={file}
        disabled={disabled}
        error={file && cannotPay ? MESSAGES.noCredits : undefined}
        onChange={onChange}
      />
      <p className="figures text-xs leading-relaxed text-ink-muted" aria-live="polite">
        {Math.max(0, credits)} image {credits === 1 ? "credit" : "credits"} left.{" "}
        {isRead ? `An analysis with an image uses ${IMAGE_ANALYSIS_CREDITS}.` : NOT_READ}{" "}
        {cannotPay && isRead && (
          <Link
            to="/pricing"
            className="rounded font-medium text-accent underline underline-offset-4"
          >
            See plans and pricing
          </Link>
        )}
      </p>
    </div>
  );
}
