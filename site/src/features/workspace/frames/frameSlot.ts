import { atom, type ReadableAtom } from 'nanostores'
import type { CropEdges } from '#backend/kernel/media/contract.ts'
import { authorized } from '../../../api/api.ts'
import { ApiError, PROXY_LIMIT } from '../../../api/apiError.ts'
import { codeText, errorText } from '../../../api/errorText.ts'
import { uploadFirstFrame } from '../../../api/upload.ts'
import { translate } from '../../../i18n/client.ts'
import { isWide } from '../../../ui/pictures/pictureRules.ts'
import { loadImage, readPicture } from '../../../ui/pictures/readPicture.ts'

/** The whole picture, from which every crop is cut. */
interface Original {
  readonly address: string
  /** Missing if the picture was restored from its address. */
  readonly file?: Blob
  readonly width: number
  readonly height: number
}

interface Picture {
  /** Address of the picture that is shown: once it is uploaded, the stored one. */
  readonly preview: string
  readonly original: Original
  readonly wide: boolean
}

interface NoPicture {
  readonly status: 'none'
  readonly fault: string | null
  readonly original?: Original
  /** URL of an uploaded image that is being loaded. */
  readonly restoring?: string
}

export type Frame =
  | NoPicture
  | ({ readonly status: 'uploading'; readonly percent: number; readonly crop?: CropEdges } & Picture)
  | ({ readonly status: 'ready'; readonly url: string } & Picture)

/** A place of the form for one image. */
export interface FrameSlot {
  /** Unique on the page. */
  readonly id: number
  readonly $frame: ReadableAtom<Frame>
  /** Validates an image, shows a preview and uploads it. Cancels any earlier upload. */
  readonly choose: (file: File) => Promise<void>
  /** Uploads the image again, of which the server keeps a part. */
  readonly crop: (part: CropEdges) => Promise<void>
  /** Restores an uploaded image, or clears the slot if the image cannot be loaded. */
  readonly restore: (url: string) => Promise<void>
  /** Removes the image and cancels its upload. @param fault message shown if the image was rejected */
  readonly remove: (fault?: string | null) => void
}

/** Returns the message for a failed upload of a file that passed the client-side checks. */
function uploadFault(error: unknown): string {
  const t = translate()
  if (!(error instanceof ApiError) || error.status === 0) return codeText('upload_failed')
  if (error.code === PROXY_LIMIT) return codeText(PROXY_LIMIT)
  if (error.status === 413) return t('workspace.image.refused.size')
  if (error.code === 'invalid_file_type') return t('workspace.image.refused.type')
  return error.status >= 500 && error.status !== 503 ? t('workspace.image.refused.failed') : errorText(error)
}

/** Reads a stored picture. @throws ApiError */
async function readBack(address: string, signal: AbortSignal): Promise<Blob> {
  const response = await authorized(() => fetch(address, { signal }))
  if (!response.ok) throw new ApiError(0, 'upload_failed')
  return response.blob()
}

const isPartWide = ({ width, height }: Original, part?: CropEdges) =>
  part ? isWide(width * (part.right - part.left), height * (part.bottom - part.top)) : isWide(width, height)

let slots = 0

export function createFrameSlot(): FrameSlot {
  slots += 1
  const $frame = atom<Frame>({ status: 'none', fault: null })
  let upload: AbortController | undefined

  /** Cancels the earlier upload, and releases its picture unless that is used again. */
  const begin = (kept?: Original) => {
    upload?.abort()
    const { original } = $frame.get()
    if (original && original !== kept) URL.revokeObjectURL(original.address)
    upload = new AbortController()
    return upload
  }

  /** Uploads a picture, or a part of it, unless another image takes its place first. */
  async function send(original: Original, mine: AbortController, crop?: CropEdges): Promise<void> {
    const wide = isPartWide(original, crop)
    const onProgress = (percent: number) => {
      const state = { status: 'uploading', percent, preview: original.address, original, wide } as const
      if (upload === mine) $frame.set(crop ? { ...state, crop } : state)
    }
    onProgress(0)
    try {
      const file = original.file ?? (await readBack(original.address, mine.signal))
      const url = await uploadFirstFrame(file, { crop, onProgress, signal: mine.signal })
      if (upload === mine) $frame.set({ status: 'ready', url, preview: url, original, wide })
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
    const { picture, address, width, height, fault } = read
    if (upload !== mine) return URL.revokeObjectURL(address)
    const original = { address, file: picture, width, height }
    if (fault) return $frame.set({ status: 'none', fault: codeText(fault), original })
    await send(original, mine)
  }

  async function crop(part: CropEdges): Promise<void> {
    const { original } = $frame.get()
    if (original) await send(original, begin(original), part)
  }

  async function restore(url: string): Promise<void> {
    const mine = begin()
    $frame.set({ status: 'none', fault: null, restoring: url })
    const image = await loadImage(url).catch(() => undefined)
    if (upload !== mine) return
    if (!image) return $frame.set({ status: 'none', fault: null })
    const { naturalWidth: width, naturalHeight: height } = image
    const original = { address: url, width, height }
    $frame.set({ status: 'ready', preview: url, original, url, wide: isWide(width, height) })
  }

  function remove(fault: string | null = null): void {
    begin()
    $frame.set({ status: 'none', fault })
  }

  return { id: slots, $frame, choose, crop, restore, remove }
}
