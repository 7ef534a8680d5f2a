/**
 * Colour behind transparent pictures, in the preview, in the crop and in the stored JPEG. White, because logos and
 * drawings with transparency are made for paper and for white pages.
 */
export const PICTURE_BACKGROUND = '#ffffff'
