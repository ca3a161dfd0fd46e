import { IMAGE_ANALYSIS_CREDITS } from "@shared/contract/constants.ts";
import { Link } from "react-router-dom";
import { ImageField } from "../../../ui/image-field.tsx";
import { imageMessages as texts } from "../bot-messages.ts";

interface ImageInputProps {
  file: File | null;
  credits: number;
  disabled: boolean;
  onChange(file: File | null): void;
}

/** A chart image to be judged with the candles, and what that costs. */
export function ImageInput({ file, credits, disabled, onChange }: ImageInputProps) {
  const cannotPay = credits <= 0;
  return (
    <div className="flex flex-col gap-1.5">
      <ImageField
        name="chart_image"
        label={texts.label}
        file={file}
        disabled={disabled}
        error={file && cannotPay ? texts.noCredits : undefined}
        onChange={onChange}
      />
      <p className="figures text-xs leading-relaxed text-ink-muted" aria-live="polite">
        {texts.credits(Math.max(0, credits), IMAGE_ANALYSIS_CREDITS)}{" "}
        {cannotPay && (
          <Link
            to="/pricing"
            className="rounded font-medium text-accent underline underline-offset-4"
          >
            {texts.toPricing}
          </Link>
        )}
      </p>
    </div>
  );
}
