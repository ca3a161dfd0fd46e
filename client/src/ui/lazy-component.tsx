import { type ComponentType, lazy, type ReactNode, Suspense } from "react";

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
