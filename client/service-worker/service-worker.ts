import { clientsClaim } from "workbox-core";
import { cleanupOutdatedCaches, type PrecacheEntry, precacheAndRoute } from "workbox-precaching";
import { NavigationRoute, registerRoute } from "workbox-routing";
import { openNotification, showPush } from "./push.ts";

declare const self: ServiceWorkerGlobalScope;
/** What the offline page consists of; set at build time. */
declare const OFFLINE_FILES: PrecacheEntry[];

// The files have a hash in their names, so a new version serves the pages of the one before as well.
void self.skipWaiting();
clientsClaim();
cleanupOutdatedCaches();
precacheAndRoute(OFFLINE_FILES, { ignoreURLParametersMatching: [/^from$/] });

/** Pages come from the network only, and responses of the API are never kept: they belong to a session. */
registerRoute(
  new NavigationRoute(({ request, url }) =>
    fetch(request).catch(() =>
      Response.redirect(`/offline?from=${encodeURIComponent(url.pathname + url.search)}`),
    ),
  ),
);

self.addEventListener("push", (event) => event.waitUntil(showPush(self, event.data?.text() ?? "")));
self.addEventListener("notificationclick", (event) =>
  event.waitUntil(openNotification(self, event)),
);
