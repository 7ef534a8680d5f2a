import { fileFault, type ImageFault, isSentAsIs, pictureType, sizeFault } from './pictureRules.ts'
import { toJpeg } from './toJpeg.ts'

export interface ReadPicture {
  /** Address of the whole picture; the caller revokes it. */
  readonly original: string
  readonly width: number
  readonly height: number
  /** Picture to upload, or why it cannot be uploaded. A crop repairs `image_aspect_ratio`. */
  readonly sent: Blob | 'image_aspect_ratio'
}

/** Loads an image. @throws if the browser cannot decode it */
export async function loadImage(address: string): Promise<HTMLImageElement> {
  const image = new Image()
  image.src = address
  await image.decode()
  return image
}

/** Checks a file that a person chose, by its bytes, and converts what the server does not take. Returns a refusal's code. */
export async function readPicture(file: Blob): Promise<ReadPicture | ImageFault> {
  const type = await pictureType(file).catch(() => null)
  if (type === null) return 'image_unreadable'
  const early = fileFault(type, file.size)
  if (!type || early) return early ?? 'invalid_file_type'
  // A declared type may be wrong, and some browsers believe it.
  const typed = file.slice(0, file.size, type)
  const original = URL.createObjectURL(typed)
  const read = await readSize(original, typed)
  if (typeof read === 'string') URL.revokeObjectURL(original)
  return read
}

async function readSize(original: string, file: Blob): Promise<ReadPicture | ImageFault> {
  const image = await loadImage(original).catch(() => undefined)
  if (!image) return isSentAsIs(file.type) ? 'image_unreadable' : 'invalid_file_type'
  const { naturalWidth: width, naturalHeight: height } = image
  const fault = sizeFault(width, height)
  if (fault === 'image_aspect_ratio') return { original, width, height, sent: fault }
  if (fault) return fault
  const sent = isSentAsIs(file.type) ? file : await toJpeg(image).catch(() => undefined)
  return sent ? { original, width, height, sent } : 'image_unreadable'
}
