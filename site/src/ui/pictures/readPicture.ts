import { fileFault, type ImageFault, isSentAsIs, pictureType, sizeFault } from './pictureRules.ts'
import { toJpeg } from './toJpeg.ts'

export interface ReadPicture {
  /** Picture to upload: the file, or what it was converted to. */
  readonly picture: Blob
  /** Address of the picture; the caller revokes it. */
  readonly address: string
  readonly width: number
  readonly height: number
  /** Why only a part of the picture can be uploaded. */
  readonly fault: 'image_aspect_ratio' | undefined
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
  const address = URL.createObjectURL(typed)
  const read = await readSize(address, typed)
  if (typeof read === 'string' || read.picture !== typed) URL.revokeObjectURL(address)
  return read
}

async function readSize(address: string, file: Blob): Promise<ReadPicture | ImageFault> {
  const image = await loadImage(address).catch(() => undefined)
  if (!image) return isSentAsIs(file.type) ? 'image_unreadable' : 'invalid_file_type'
  const { naturalWidth: width, naturalHeight: height } = image
  const fault = sizeFault(width, height)
  if (fault && fault !== 'image_aspect_ratio') return fault
  if (isSentAsIs(file.type)) return { picture: file, address, width, height, fault }
  const picture = await toJpeg(image).catch(() => undefined)
  return picture ? { picture, address: URL.createObjectURL(picture), width, height, fault } : 'image_unreadable'
}
