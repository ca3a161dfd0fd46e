import { QueryClientProvider } from "@tanstack/react-query";
import { type ComponentProps, StrictMode, useEffect } from "react";
import { RouterProvider } from "react-router-dom";
import { queryClient } from "../lib/query-client.ts";

/** The whole application, in the browser and where its screens are pre-rendered. */
export function App({ router }: Pick<ComponentProps<typeof RouterProvider>, "router">) {
  useEffect(takeOver, []);
  return (
    <StrictMode>
      <QueryClientProvider client={queryClient}>
        <RouterProvider router={router} />
      </QueryClientProvider>
    </StrictMode>
  );
}

/** From here on the page is the application's: `public/before-paint.js` has looked after it. */
function takeOver(): void {
  delete document.documentElement.dataset.early;
  window.dispatchEvent(new Event("appready"));
}
