/**
 * What the screen that is being pre-rendered says of itself. In browsers effects put that on the page; at build time
 * there are none.
 */
export const pageHead = { title: "", description: "" };
