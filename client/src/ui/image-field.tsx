import { IMAGE_TYPES, MAX_UPLOAD_BYTES } from "@shared/contract/files.ts";
import { ImageUp, X } from "lucide-react";
import { type DragEvent, useEffect, useId, useRef, useState } from "react";
import { formatBytes } from "../lib/format.ts";
import { fieldClass } from "./field-class.ts";

const ACCEPTED_IMAGES = IMAGE_TYPES.join(",");

/** Returns why a file cannot be uploaded, or null. Size in bytes. */
export function imageFileProblem({ type, size }: { type: string; size: number }): string | null {
  if (!IMAGE_TYPES.some((known) => known === type)) return "Choose a PNG, JPEG or WebP image.";
  if (size === 0) return "This file is empty. Choose another image.";
  return size > MAX_UPLOAD_BYTES ? "The image is larger than 5 MB. Choose a smaller one." : null;
}

interface ImageFieldProps {
  name: string;
  label: string;
  file: File | null;
  onChange(file: File | null): void;
  error?: string | undefined;
  disabled?: boolean;
}

/** An image that is picked, dropped or pasted anywhere on the page. One per page. */
export function ImageField({ name, label, file, onChange, error, disabled }: ImageFieldProps) {
  const id = useId();
  const [problem, setProblem] = useState<string | null>(null);
  const take = (picked: File | undefined) => {
    if (!picked || disabled) return;
    const found = imageFileProblem(picked);
    setProblem(found);
    onChange(found ? null : picked);
  };
  usePastedFile(take);
  const drop = useDrop(take);
  const refuse = () => {
    setProblem("This image can't be read. Choose another file.");
    onChange(null);
  };
  const shownError = problem ?? error;
  return (
    <div className={fieldClass.root}>
      <span id={`${id}-label`} className={fieldClass.label}>
        {label}
      </span>
      <div className="relative" {...drop.handlers}>
        <input
          id={id}
          name={name}
          type="file"
          accept={ACCEPTED_IMAGES}
          disabled={disabled}
          aria-labelledby={`${id}-label`}
          aria-describedby={`${id}-hint ${id}-error`}
          aria-invalid={shownError ? true : undefined}
          onChange={({ currentTarget }) => {
            take(currentTarget.files?.[0]);
            currentTarget.value = "";
          }}
          className="peer sr-only"
        />
        <label htmlFor={id} data-over={drop.isOver || undefined} className={zoneClass}>
          {file ? <Preview file={file} onUnreadable={refuse} /> : <Invitation />}
        </label>
        {file && <RemoveButton disabled={disabled} onClick={() => onChange(null)} />}
      </div>
      <p id={`${id}-hint`} className={fieldClass.hint}>
        PNG, JPEG or WebP, up to 5 MB
      </p>
      <p id={`${id}-error`} role="alert" className={`${fieldClass.error} empty:hidden`}>
        {shownError}
      </p>
    </div>
  );
}

const zoneClass =
  "flex min-h-24 cursor-pointer items-center gap-4 rounded-control border border-dashed border-line-strong bg-canvas p-3 pr-12 text-sm text-ink-muted transition-colors hover:border-ink-faint peer-focus-visible:outline-2 peer-focus-visible:outline-accent peer-disabled:cursor-default peer-disabled:opacity-60 peer-aria-invalid:border-danger data-over:border-accent data-over:bg-accent/8";

function Invitation() {
  return (
    <span className="flex flex-1 flex-col items-center gap-2 py-2 pl-9 text-center">
      <ImageUp aria-hidden className="size-6 text-ink-faint" strokeWidth={1.75} />
      <span className="text-pretty">
        <span className="font-medium text-accent">Choose an image</span>, drop it here or paste it
      </span>
    </span>
  );
}

function Preview({ file, onUnreadable }: { file: File; onUnreadable(): void }) {
  const url = useObjectUrl(file);
  return (
    <>
      <span className="flex size-20 shrink-0 items-center justify-center overflow-hidden rounded-md bg-raised">
        {url && (
          <img
            src={url}
            alt=""
            onError={onUnreadable}
            className="size-full animate-enter object-cover"
          />
        )}
      </span>
      <span className="min-w-0">
        <span className="block truncate font-medium text-ink">{file.name}</span>
        <span className="figures text-ink-faint">{formatBytes(file.size)}</span>
      </span>
    </>
  );
}

function RemoveButton({ disabled, onClick }: { disabled: boolean | undefined; onClick(): void }) {
  return (
    <button
      type="button"
      aria-label="Remove image"
      disabled={disabled}
      onClick={onClick}
      className="absolute top-2 right-2 rounded-lg p-2 text-ink-faint transition-colors hover:bg-raised hover:text-ink"
    >
      <X aria-hidden className="size-5" />
    </button>
  );
}

function usePastedFile(take: (file: File) => void): void {
  const latest = useRef(take);
  latest.current = take;
  useEffect(() => {
    const onPaste = (event: ClipboardEvent) => {
      const [pasted] = event.clipboardData?.files ?? [];
      if (!pasted) return;
      event.preventDefault();
      latest.current(pasted);
    };
    document.addEventListener("paste", onPaste);
    return () => document.removeEventListener("paste", onPaste);
  }, []);
}

function useDrop(take: (file: File | undefined) => void) {
  const [isOver, setOver] = useState(false);
  const handlers = {
    onDragOver(event: DragEvent) {
      event.preventDefault();
      setOver(true);
    },
    onDragLeave: () => setOver(false),
    onDrop(event: DragEvent) {
      event.preventDefault();
      setOver(false);
      take(event.dataTransfer.files[0]);
    },
  };
  return { isOver, handlers };
}

function useObjectUrl(file: File): string | null {
  const [url, setUrl] = useState<string | null>(null);
  useEffect(() => {
    const objectUrl = URL.createObjectURL(file);
    setUrl(objectUrl);
    return () => {
      URL.revokeObjectURL(objectUrl);
      setUrl(null);
    };
  }, [file]);
  return url;
}
