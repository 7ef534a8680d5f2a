/** Bytes of a picture that is uploaded. */
export const IMAGE_MAX_BYTES = 20 * 1024 * 1024

/** Edges of the part of an upright picture that is kept, as fractions of its width and height. */
export interface CropEdges {
  readonly left: number
  readonly top: number
  readonly right: number
  readonly bottom: number
}

/**
 * Colour behind transparent pictures, in the preview, in the crop and in the stored JPEG. White, because logos and
 * drawings with transparency are made for paper and for white pages.
 */
export const PICTURE_BACKGROUND = '#ffffff'
