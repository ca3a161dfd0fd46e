import { useEffect, useState } from "react";

/** A section counts as the current one while it crosses a line in the upper part of the window. */
const READING_LINE = "-30% 0px -69% 0px";

/** Id of the section that is being read; `ids` has to stay the same array. */
export function useSectionInView<Id extends string>(ids: readonly Id[]): Id | undefined {
  const [current, setCurrent] = useState(ids[0]);
  useEffect(() => {
    const observer = new IntersectionObserver(
      (entries) => {
        const entered = entries.find((entry) => entry.isIntersecting)?.target.id;
        const id = ids.find((candidate) => candidate === entered);
        if (id) setCurrent(id);
      },
      { rootMargin: READING_LINE },
    );
    for (const id of ids) {
      const section = document.getElementById(id);
      if (section) observer.observe(section);
    }
    return () => observer.disconnect();
  }, [ids]);
  return current;
}
