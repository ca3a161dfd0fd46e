interface ImportMetaEnv {
  readonly VITE_BUILT_YEAR: string;
  readonly VITE_API_URL?: string;
  /** Phone number or address of the operator's WhatsApp chat; set at build time. */
  readonly VITE_CONTACT_WHATSAPP?: string;
  /** User name or address of the operator's Telegram chat; set at build time. */
  readonly VITE_CONTACT_TELEGRAM?: string;
  /** The operator's email address; set at build time. */
  readonly VITE_CONTACT_EMAIL?: string;
}

/** Missing from TypeScript's library. Its URL is an object that the functions of the browser take like a string. */
interface Window {
  readonly trustedTypes?: {
    createPolicy(
      name: string,
      rules: { createScriptURL(url: string): string },
    ): { createScriptURL(url: string): string };
  };
}
