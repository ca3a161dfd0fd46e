import { useMutation } from "@tanstack/react-query";
import { Download } from "lucide-react";
import { useEffect, useRef, useState } from "react";
import { Button } from "../../ui/button.tsx";
import { Notice } from "../../ui/notice.tsx";
import { type ExportFormat, exportHistory } from "./export-history.ts";
import { historyErrorText } from "./history-error.ts";
import type { HistoryFilter } from "./history-filter.ts";
import { exportTexts as texts } from "./texts.ts";

const FORMATS = ["csv", "json"] as const;

/** Saves the whole history, or what the filter leaves of it, as a file. */
export function ExportButtons({ filter }: { filter: HistoryFilter }) {
  const [read, setRead] = useState(0);
  const leaving = useRef(new AbortController());
  useEffect(() => {
    const controller = new AbortController();
    leaving.current = controller;
    return () => controller.abort();
  }, []);
  const saving = useMutation({
    mutationFn: (format: ExportFormat) => {
      setRead(0);
      const { signal } = leaving.current;
      return exportHistory({ format, filter, signal, onProgress: setRead });
    },
  });
  return (
    <div className="flex flex-col gap-2 sm:items-end">
      <div className="flex gap-2">
        {FORMATS.map((format) => (
          <Button
            key={format}
            variant="secondary"
            size="sm"
            busy={saving.isPending && saving.variables === format}
            disabled={saving.isPending}
            onClick={() => saving.mutate(format)}
          >
            {!(saving.isPending && saving.variables === format) && (
              <Download aria-hidden className="size-4" />
            )}
            {texts.save[format]}
          </Button>
        ))}
      </div>
      <p role="status" className="figures text-xs text-ink-muted empty:hidden">
        {saving.isPending && texts.reading(read)}
        {saving.isSuccess && texts.saved(saving.data)}
      </p>
      {saving.isError && (
        <Notice tone="error" role="alert" title={texts.failed}>
          {historyErrorText(saving.error)}
        </Notice>
      )}
    </div>
  );
}
