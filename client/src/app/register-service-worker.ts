const SERVICE_WORKER = "/service-worker.js";

let registration: Promise<void> | undefined;

/** Installs the service worker, which shows pushes and the offline page. Once: a page can make its policy once only. */
export function registerServiceWorker(): Promise<void> {
  registration ??= register();
  return registration;
}

/** The content policy allows the address of the service worker only. */
async function register(): Promise<void> {
  if (!import.meta.env.PROD || !("serviceWorker" in navigator)) return;
  const policy = window.trustedTypes?.createPolicy("service-worker", {
    createScriptURL: () => SERVICE_WORKER,
  });
  const script = policy?.createScriptURL("") ?? SERVICE_WORKER;
  await navigator.serviceWorker.register(script);
}
