import { atom, type ReadableAtom } from 'nanostores'
import { ApiError } from '../../../api/apiError.ts'
import { codeText, errorText } from '../../../api/errorText.ts'
import { uploadFirstFrame } from '../../../api/upload.ts'
import { translate } from '../../../i18n/client.ts'
import { isWide } from '../../../ui/pictures/pictureRules.ts'
import { loadImage, readPicture } from '../../../ui/pictures/readPicture.ts'

interface Picture {
  /** Address of the picture that is shown: once it is uploaded, the stored one. */
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
      if (upload !== mine) return
      if (image.preview !== image.original) URL.revokeObjectURL(image.preview)
      $frame.set({ status: 'ready', url, ...image, preview: url })
    } catch (error) {
      if (!mine.signal.aborted) remove(uploadFault(error))
    }
  }

  async function choose(file: File): Promise<void> {
    const mine = begin()
    const read = await readPicture(file)
    if (typeof read === 'string') {
      if (upload === mine) $frame.set({ status: 'none', fault: codeText(read) })
      return
    }
    const { original, width, height, sent } = read
    if (upload !== mine) return URL.revokeObjectURL(original)
    if (typeof sent === 'string') return $frame.set({ status: 'none', fault: codeText(sent), original })
    await send(sent, { preview: original, original, wide: isWide(width, height) }, mine)
  }

  async function crop(part: Blob): Promise<void> {
    const { original } = $frame.get()
    if (!original) return
    const mine = begin(original)
    const preview = URL.createObjectURL(part)
    const { naturalWidth, naturalHeight } = await loadImage(preview)
    if (upload === mine) await send(part, { preview, original, wide: isWide(naturalWidth, naturalHeight) }, mine)
  }

  async function restore(url: string): Promise<void> {
    const mine = begin()
    $frame.set({ status: 'none', fault: null, restoring: url })
    const image = await loadImage(url).catch(() => undefined)
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
