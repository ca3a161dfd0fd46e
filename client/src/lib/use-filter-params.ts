import { useSearchParams } from "react-router-dom";

type Change = Parameters<ReturnType<typeof useSearchParams>[1]>[0];

/**
 * The parameters of the address that say what a page shows. A change leaves the page where it is scrolled to, and shows at
 * once: the next one builds on what is shown.
 */
export function useFilterParams() {
  const [params, setParams] = useSearchParams();
  const change = (next: Change, { replace = false } = {}) =>
    setParams(next, { replace, preventScrollReset: true, flushSync: true });
  return [params, change] as const;
}

/** The parameters of a submitted filter form: its fields that are filled in. */
export function paramsOfForm(form: HTMLFormElement): URLSearchParams {
  const filled = [...new FormData(form)].filter(([, value]) => String(value).trim() !== "");
  return new URLSearchParams(filled.map(([name, value]) => [name, String(value)]));
}
