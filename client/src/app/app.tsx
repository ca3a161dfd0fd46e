import { QueryClientProvider } from "@tanstack/react-query";
import { type ComponentProps, StrictMode, useEffect } from "react";
import { RouterProvider } from "react-router-dom";
import { queryClient } from "../lib/query-client.ts";

/** The whole application, in the browser and where its screens are pre-rendered; `public/before-paint.js` waits for it. */
export function App({ router }: Pick<ComponentProps<typeof RouterProvider>, "router">) {
  useEffect(() => void window.dispatchEvent(new Event("appready")), []);
  return (
    <StrictMode>
      <QueryClientProvider client={queryClient}>
        <RouterProvider router={router} />
      </QueryClientProvider>
    </StrictMode>
  );
}
