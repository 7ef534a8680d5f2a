import { atom, type ReadableAtom } from 'nanostores'
import { ApiError } from '../../../api/apiError.ts'
import { codeText, errorText } from '../../../api/errorText.ts'
import { uploadFirstFrame } from '../../../api/upload.ts'
import { translate } from '../../../i18n/client.ts'
import { fileFault, isSentAsIs, isWide, sizeFault } from './frameRules.ts'
import { toJpeg } from './toJpeg.ts'

interface Picture {
  /** Address of the picture that is shown and sent. */
  readonly preview: string
  /** Address of the picture before it was cropped. */
  readonly original: string
  readonly wide: boolean
}

interface NoPicture {
  readonly status: 'none'
  readonly fault: string | null
  readonly original?: string
  /** URL of an uploaded image that is being loaded. */
  readonly restoring?: string
}

export type Frame =
  | NoPicture
  | ({ readonly status: 'uploading'; readonly percent: number } & Picture)
  | ({ readonly status: 'ready'; readonly url: string } & Picture)

/** A place of the form for one image. */
export interface FrameSlot {
  /** Unique on the page. */
  readonly id: number
  readonly $frame: ReadableAtom<Frame>
  /** Validates an image, shows a preview and uploads it. Cancels any earlier upload. */
  readonly choose: (file: File) => Promise<void>
  /** Uploads a part of the image instead. The image itself is kept for the next crop. */
  readonly crop: (part: Blob) => Promise<void>
  /** Restores an uploaded image, or clears the slot if the image cannot be loaded. */
  readonly restore: (url: string) => Promise<void>
  /** Removes the image and cancels its upload. @param fault message shown if the image was rejected */
  readonly remove: (fault?: string | null) => void
}

async function load(address: string): Promise<HTMLImageElement> {
  const image = new Image()
  image.src = address
  await image.decode()
  return image
}

/** Returns the message for a failed upload of a file that passed the client-side checks. */
function uploadFault(error: unknown): string {
  const t = translate()
  if (!(error instanceof ApiError) || error.status === 0) return codeText('upload_failed')
  if (error.status === 413) return t('workspace.image.refused.size')
  if (error.code === 'invalid_file_type') return t('workspace.image.refused.type')
  return error.status >= 500 && error.status !== 503 ? t('workspace.image.refused.failed') : errorText(error)
}

let slots = 0

export function createFrameSlot(): FrameSlot {
  slots += 1
  const $frame = atom<Frame>({ status: 'none', fault: null })
  let upload: AbortController | undefined

  /** Cancels the earlier upload, and releases its pictures unless one is still used. */
  const begin = (kept?: string) => {
    upload?.abort()
    const frame = $frame.get()
    for (const address of 'preview' in frame ? [frame.preview, frame.original] : [frame.original])
      if (address && address !== kept) URL.revokeObjectURL(address)
    upload = new AbortController()
    return upload
  }

  /** Uploads a picture unless another image takes its place first. */
  async function send(picture: Blob, image: Picture, mine: AbortController): Promise<void> {
    const progress = (percent: number) => {
      if (upload === mine) $frame.set({ status: 'uploading', percent, ...image })
    }
    progress(0)
    try {
      const url = await uploadFirstFrame(picture, progress, mine.signal)
      if (upload === mine) $frame.set({ status: 'ready', url, ...image })
    } catch (error) {
      if (!mine.signal.aborted) remove(uploadFault(error))
    }
  }

  async function choose(file: File): Promise<void> {
    const early = fileFault(file)
    if (early) return remove(codeText(early))
    const mine = begin()
    const original = URL.createObjectURL(file)
    const drop = (code: string) => {
      URL.revokeObjectURL(original)
      if (upload === mine) $frame.set({ status: 'none', fault: codeText(code) })
    }
    const image = await load(original).catch(() => undefined)
    if (!image) return drop(isSentAsIs(file) ? 'image_unreadable' : 'invalid_file_type')
    const { naturalWidth: width, naturalHeight: height } = image
    const fault = sizeFault(width, height)
    if (fault && fault !== 'image_aspect_ratio') return drop(fault)
    const picture = fault || isSentAsIs(file) ? file : await toJpeg(image).catch(() => undefined)
    if (!picture) return drop('image_unreadable')
    if (mine.signal.aborted) return URL.revokeObjectURL(original)
    // A crop can repair the ratio.
    if (fault) return $frame.set({ status: 'none', fault: codeText(fault), original })
    await send(picture, { preview: original, original, wide: isWide(width, height) }, mine)
  }

  async function crop(part: Blob): Promise<void> {
    const { original } = $frame.get()
    if (!original) return
    const mine = begin(original)
    const preview = URL.createObjectURL(part)
    const { naturalWidth, naturalHeight } = await load(preview)
    if (upload === mine) await send(part, { preview, original, wide: isWide(naturalWidth, naturalHeight) }, mine)
  }

  async function restore(url: string): Promise<void> {
    const mine = begin()
    $frame.set({ status: 'none', fault: null, restoring: url })
    const image = await load(url).catch(() => undefined)
    if (upload !== mine) return
    if (!image) return $frame.set({ status: 'none', fault: null })
    const wide = isWide(image.naturalWidth, image.naturalHeight)
    $frame.set({ status: 'ready', preview: url, original: url, url, wide })
  }

  function remove(fault: string | null = null): void {
    begin()
    $frame.set({ status: 'none', fault })
  }

  return { id: slots, $frame, choose, crop, restore, remove }
}
