/** Origin of the API, without a trailing slash; another one than the web pages'. */
export const apiOrigin = (import.meta.env.VITE_API_URL ?? "http://localhost:8000").replace(
  /\/+$/,
  "",
);
