/** Bytes of a picture that is uploaded. */
export const IMAGE_MAX_BYTES = 20 * 1024 * 1024

/**
 * Colour behind transparent pictures, in the preview, in the crop and in the stored JPEG. White, because logos and
 * drawings with transparency are made for paper and for white pages.
 */
export const PICTURE_BACKGROUND = '#ffffff'
