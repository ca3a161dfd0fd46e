import {
  type ComponentType,
  type ReactNode,
  useCallback,
  useEffect,
  useRef,
  useState,
} from "react";
import { Button } from "./button.tsx";

interface Preloadable {
  /** Loads the code ahead. What is rendered once it is there appears at once, without a fallback. */
  preload(): Promise<unknown>;
}

interface WhileMissing {
  /** Shown until the code is there. */
  fallback?: ReactNode;
  /** What is in view all the time, as a button of the navigation, is loaded again without a word. */
  isSilent?: boolean;
}

/** Where no connection or server brings the code, it is tried again: a browser may say that it is online before it is. */
const RETRY_INTERVAL_MS = 5_000;

/**
 * A component in a chunk of its own, loaded when it is first rendered. If that fails, a card stands in its place, above the
 * page if it has none, until the code is there.
 */
export function lazyComponent<Module, Name extends keyof Module>(
  load: () => Promise<Module>,
  name: Name,
  whileMissing?: WhileMissing,
): Module[Name] & Preloadable;
export function lazyComponent(
  load: () => Promise<Record<string, ComponentType<object>>>,
  name: string,
  { fallback = null, isSilent = false }: WhileMissing = {},
): ComponentType<object> & Preloadable {
  let Ready: ComponentType<object> | undefined;
  const preload = async () => {
    Ready = (await load())[name];
    if (!Ready) throw new Error(`No component ${name}`);
    return Ready;
  };
  function LazyComponent(props: object) {
    const [Component, setComponent] = useState(() => Ready);
    const show = useCallback((loaded: ComponentType<object>) => setComponent(() => loaded), []);
    const { hasFailed, ...attempt } = useLoad(preload, Component ? null : show);
    if (Component) return <Component {...props} />;
    if (!hasFailed || isSilent) return fallback;
    return <NotLoaded floats={fallback === null} {...attempt} />;
  }
  return Object.assign(LazyComponent, { preload });
}

interface Attempt {
  busy: boolean;
  onRetry(): void;
}

/** Loads what is missing: at once, on request, when the browser is online again, and from time to time. */
function useLoad<Loaded>(
  load: () => Promise<Loaded>,
  onLoaded: ((loaded: Loaded) => void) | null,
): Attempt & { hasFailed: boolean } {
  const [attempt, setAttempt] = useState(1);
  const [failed, setFailed] = useState(0);
  const busy = attempt > failed;
  const onRetry = useCallback(() => setAttempt((last) => last + 1), []);
  useEffect(() => {
    if (!onLoaded) return;
    let isWanted = true;
    load().then(
      (loaded) => isWanted && onLoaded(loaded),
      () => isWanted && setFailed(attempt),
    );
    return () => {
      isWanted = false;
    };
  }, [load, onLoaded, attempt]);
  useEffect(() => {
    if (!onLoaded) return;
    // Also while it is being loaded: that attempt may have started, and fail, without a connection.
    window.addEventListener("online", onRetry);
    return () => window.removeEventListener("online", onRetry);
  }, [onLoaded, onRetry]);
  useEffect(() => {
    if (busy) return;
    const timer = setTimeout(onRetry, RETRY_INTERVAL_MS);
    return () => clearTimeout(timer);
  }, [busy, onRetry]);
  return { hasFailed: failed > 0, busy, onRetry };
}

const NotLoaded = ({ floats, busy, onRetry }: Attempt & { floats: boolean }) => (
  <div
    role="alert"
    className={`mx-auto my-4 flex w-full max-w-2xl flex-wrap items-center gap-4 rounded-card border border-line-strong bg-raised p-4 text-sm text-ink-muted ${floats ? "fixed inset-x-4 bottom-4 z-50 w-auto" : ""}`}
  >
    <p className="flex-1 basis-56">
      This part of the page could not be loaded. It is loaded again once you are online.
    </p>
    <Button variant="secondary" busy={busy} onClick={onRetry}>
      Try again
    </Button>
  </div>
);

/** What the page itself may request first. */
const PRELOAD_DELAY_MS = 5_000;

/** Loads ahead what has to open without a connection as well. */
export function usePreload({ preload }: Preloadable, isWanted = true): void {
  useEffect(() => {
    if (!isWanted) return;
    // Rendering reports what fails.
    const timer = setTimeout(() => void preload().catch(() => null), PRELOAD_DELAY_MS);
    return () => clearTimeout(timer);
  }, [preload, isWanted]);
}

interface WhenInViewProps {
  placeholder?: ReactNode;
  /** How far from the view counts as in it, as a margin in CSS. */
  rootMargin?: string;
  children: ReactNode;
}

/** Shows its children once it has come into view; before that, a placeholder of their size. */
export function WhenInView({ placeholder = null, rootMargin = "0px", children }: WhenInViewProps) {
  const box = useRef<HTMLDivElement>(null);
  const [isSeen, setSeen] = useState(false);
  useEffect(() => {
    if (!box.current) return;
    const observer = new IntersectionObserver(
      ([entry]) => {
        if (!entry?.isIntersecting) return;
        observer.disconnect();
        setSeen(true);
      },
      { rootMargin },
    );
    observer.observe(box.current);
    return () => observer.disconnect();
  }, [rootMargin]);
  return (
    <div ref={box} className="h-full">
      {isSeen ? children : placeholder}
    </div>
  );
}
