import {
  type ComponentType,
  lazy,
  type ReactNode,
  Suspense,
  useEffect,
  useRef,
  useState,
} from "react";

interface Preloadable {
  /** Loads the code ahead. What is rendered once it is there appears at once, without a fallback. */
  preload(): Promise<unknown>;
}

/** A component in a chunk of its own, loaded when it is first rendered. */
export function lazyComponent<Module, Name extends keyof Module>(
  load: () => Promise<Module>,
  name: Name,
  fallback?: ReactNode,
): Module[Name] & Preloadable;
export function lazyComponent(
  load: () => Promise<Record<string, ComponentType<object>>>,
  name: string,
  fallback: ReactNode = null,
): ComponentType<object> & Preloadable {
  let Ready: ComponentType<object> | undefined;
  const preload = async () => {
    const { [name]: Component } = await load();
    if (!Component) throw new Error(`No component ${name}`);
    Ready = Component;
    return { default: Component };
  };
  const Loaded = lazy(preload);
  function LazyComponent(props: object) {
    const [Component] = useState(() => Ready);
    if (Component) return <Component {...props} />;
    return (
      <Suspense fallback={fallback}>
        <Loaded {...props} />
      </Suspense>
    );
  }
  return Object.assign(LazyComponent, { preload });
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
