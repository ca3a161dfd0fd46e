interface ImportMetaEnv {
  /** Address of the API; set at build time. */
  readonly VITE_API_URL?: string;
}
