import { atom, type ReadableAtom } from 'nanostores'
import { ApiError } from '../../../api/apiError.ts'
import { codeText, errorText } from '../../../api/errorText.ts'
import { uploadFirstFrame } from '../../../api/upload.ts'
import { translate } from '../../../i18n/client.ts'
import { fileFault, isWide, sizeFault } from './frameRules.ts'

export type Frame =
  | { readonly status: 'none'; readonly fault: string | null }
  | { readonly status: 'uploading'; readonly preview: string; readonly percent: number; readonly wide: boolean }
  | { readonly status: 'ready'; readonly preview: string; readonly url: string; readonly wide: boolean }

/** A place of the form for one image. */
export interface FrameSlot {
  /** Unique on the page. */
  readonly id: number
  readonly $frame: ReadableAtom<Frame>
  /** Validates an image, shows a preview and uploads it. Cancels any earlier upload. */
  readonly choose: (file: File) => Promise<void>
  /** Restores an uploaded image, or clears the slot if the image cannot be loaded. */
  readonly restore: (url: string) => Promise<void>
  /** Removes the image and cancels its upload. @param fault message shown if the image was rejected */
  readonly remove: (fault?: string | null) => void
}

async function measure(preview: string): Promise<{ width: number; height: number }> {
  const image = new Image()
  image.src = preview
  await image.decode()
  return { width: image.naturalWidth, height: image.naturalHeight }
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

  const begin = () => {
    upload?.abort()
    const current = $frame.get()
    if (current.status !== 'none') URL.revokeObjectURL(current.preview)
    upload = new AbortController()
    return upload
  }

  async function choose(file: File): Promise<void> {
    const early = fileFault(file)
    if (early) return remove(codeText(early))
    const mine = begin()
    const preview = URL.createObjectURL(file)
    const drop = (fault: string) => {
      URL.revokeObjectURL(preview)
      if (upload === mine) $frame.set({ status: 'none', fault })
    }
    const size = await measure(preview).catch(() => undefined)
    if (!size) return drop(codeText('image_unreadable'))
    const fault = sizeFault(size.width, size.height)
    if (fault) return drop(codeText(fault))
    if (mine.signal.aborted) return
    const wide = isWide(size.width, size.height)
    $frame.set({ status: 'uploading', preview, percent: 0, wide })
    try {
      const progress = (percent: number) => {
        if (upload === mine) $frame.set({ status: 'uploading', preview, percent, wide })
      }
      const url = await uploadFirstFrame(file, progress, mine.signal)
      if (upload === mine) $frame.set({ status: 'ready', preview, url, wide })
    } catch (error) {
      if (!mine.signal.aborted) drop(uploadFault(error))
    }
  }

  async function restore(url: string): Promise<void> {
    const mine = begin()
    const size = await measure(url).catch(() => undefined)
    if (upload !== mine) return
    if (size) $frame.set({ status: 'ready', preview: url, url, wide: isWide(size.width, size.height) })
    else $frame.set({ status: 'none', fault: null })
  }

  function remove(fault: string | null = null): void {
    begin()
    $frame.set({ status: 'none', fault })
  }

  return { id: slots, $frame, choose, restore, remove }
}
