export const dialogClass = {
  backdrop:
    "fixed inset-0 z-40 bg-canvas/75 backdrop-blur-sm transition-opacity duration-200 data-ending-style:opacity-0 data-starting-style:opacity-0",
  popup:
    "fixed top-1/2 left-1/2 z-50 max-h-[calc(100dvh-2rem)] -translate-x-1/2 -translate-y-1/2 overflow-y-auto rounded-card border border-line-strong bg-surface shadow-float transition-[opacity,scale] duration-150 data-ending-style:scale-97 data-ending-style:opacity-0 data-starting-style:scale-97 data-starting-style:opacity-0",
  narrow: "w-[min(28rem,calc(100vw-2rem))] p-6",
  title: "text-lg font-semibold tracking-tight",
  actions: "mt-6 flex flex-col-reverse gap-3 sm:flex-row sm:justify-end",
} as const;
