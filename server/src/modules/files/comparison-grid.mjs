// @ts-check
// What the process that decodes images and the comparison of images have in common.

/** Longest side of the grid of points in which images are compared. A digit of a screenshot is about 5 points wide. */
export const GRID_SIDE = 512;
export const PIXELS_PER_POINT = 2;
