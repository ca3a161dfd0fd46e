import {
  type ComponentType,
  lazy,
  type ReactNode,
  Suspense,
  useEffect,
  useRef,
  useState,
} from "react";

/** A component in a chunk of its own, loaded when it is first rendered. */
export function lazyComponent<Module, Name extends keyof Module>(
  load: () => Promise<Module>,
  name: Name,
  fallback?: ReactNode,
): Module[Name];
export function lazyComponent(
  load: () => Promise<Record<string, ComponentType<object>>>,
  name: string,
  fallback: ReactNode = null,
): ComponentType<object> {
  const Loaded = lazy(async () => {
    const { [name]: Component } = await load();
    if (!Component) throw new Error(`The chunk has no component ${name}.`);
    return { default: Component };
  });
  return (props) => (
    <Suspense fallback={fallback}>
      <Loaded {...props} />
    </Suspense>
  );
}

/** Shows its children once it has come into view; before that, a placeholder of their size. */
export function WhenInView({
  placeholder = null,
  children,
}: {
  placeholder?: ReactNode;
  children: ReactNode;
}) {
  const box = useRef<HTMLDivElement>(null);
  const [isSeen, setSeen] = useState(false);
  useEffect(() => {
    if (!box.current) return;
    const observer = new IntersectionObserver(([entry]) => {
      if (!entry?.isIntersecting) return;
      observer.disconnect();
      setSeen(true);
    });
    observer.observe(box.current);
    return () => observer.disconnect();
  }, []);
  return (
    <div ref={box} className="h-full">
      {isSeen ? children : placeholder}
    </div>
  );
}
