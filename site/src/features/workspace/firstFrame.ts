import { atom } from 'nanostores'
import { ApiError } from '../../api/apiError.ts'
import { codeText, errorText } from '../../api/errorText.ts'
import { uploadFirstFrame } from '../../api/upload.ts'
import { translate } from '../../i18n/client.ts'
import { fileFault, isWide, sizeFault } from './firstFrameRules.ts'

export type FirstFrame =
  | { readonly status: 'none'; readonly fault: string | null }
  | { readonly status: 'uploading'; readonly preview: string; readonly percent: number; readonly wide: boolean }
  | { readonly status: 'ready'; readonly preview: string; readonly url: string; readonly wide: boolean }

export const $firstFrame = atom<FirstFrame>({ status: 'none', fault: null })

let upload: AbortController | undefined

function discard(): void {
  upload?.abort()
  const current = $firstFrame.get()
  if (current.status !== 'none') URL.revokeObjectURL(current.preview)
}

/** Removes the image and cancels its upload. @param fault message shown if the image was rejected */
export function removeFirstFrame(fault: string | null = null): void {
  discard()
  $firstFrame.set({ status: 'none', fault })
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

/** Restores a previously uploaded image, or clears the field if the image cannot be loaded. */
export async function restoreFirstFrame(url: string): Promise<void> {
  discard()
  const mine = new AbortController()
  upload = mine
  const size = await measure(url).catch(() => undefined)
  if (upload !== mine) return
  if (size) $firstFrame.set({ status: 'ready', preview: url, url, wide: isWide(size.width, size.height) })
  else $firstFrame.set({ status: 'none', fault: null })
}

/** Validates an image, shows a preview and uploads it. Cancels any earlier upload. */
export async function chooseFirstFrame(file: File): Promise<void> {
  const early = fileFault(file)
  if (early) return removeFirstFrame(codeText(early))
  discard()
  const mine = new AbortController()
  upload = mine
  const preview = URL.createObjectURL(file)
  const drop = (fault: string) => {
    URL.revokeObjectURL(preview)
    if (upload === mine) $firstFrame.set({ status: 'none', fault })
  }
  const size = await measure(preview).catch(() => undefined)
  if (!size) return drop(codeText('image_unreadable'))
  const fault = sizeFault(size.width, size.height)
  if (fault) return drop(codeText(fault))
  if (mine.signal.aborted) return
  const wide = isWide(size.width, size.height)
  $firstFrame.set({ status: 'uploading', preview, percent: 0, wide })
  try {
    const progress = (percent: number) => {
      if (upload === mine) $firstFrame.set({ status: 'uploading', preview, percent, wide })
    }
    const url = await uploadFirstFrame(file, progress, mine.signal)
    if (upload === mine) $firstFrame.set({ status: 'ready', preview, url, wide })
  } catch (error) {
    if (!mine.signal.aborted) drop(uploadFault(error))
  }
}
